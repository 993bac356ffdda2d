// SPDX-License-Identifier: Apache-2.0
// Help as people read it: required options first, sections, plain defaults, `heed help`, manual
// pages, nearest names, and how much is said besides results.
#include <gtest/gtest.h>

#include <algorithm>

#include <filesystem>

#include "cli/help_page.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed {
namespace {

using test::ProgramResult;
using test::run_heed;
using test::TemporaryFolder;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(HelpPage, PutsWhatIsRequiredFirstAndWhatEveryVerbHasLast) {
  const cli::HelpPage page{
      .name = "heed go",
      .summary = "Go somewhere",
      .description = "Goes there and back.",
      .examples = {"heed go --to \"the far end\" --out place"},
      .rows = {{.names = "-h, --help", .help = "print this help", .section = "General"},
               {.names = "--speed",
                .kind = "N",
                .help = "how fast",
                .default_text = "3",
                .section = "Travel"},
               {.names = "-o, --out",
                .kind = "FOLDER",
                .help = "where it ends",
                .section = "Run",
                .required = true}}};
  EXPECT_EQ(cli::help_text(page),
            "heed go - Go somewhere\n\n"
            "Usage:\n  heed go --out FOLDER [OPTIONS]\n\n"
            "Goes there and back.\n\n"
            "Example:\n  heed go --to \"the far end\" --out place\n\n"
            "Required:\n"
            "  -o, --out FOLDER              where it ends\n\n"
            "Travel:\n"
            "  --speed N                     how fast (default: 3)\n\n"
            "General:\n"
            "  -h, --help                    print this help\n");
}

TEST(HelpPage, KeepsToItsWidthAndJoinsLinesOfACommandAsAShellDoes) {
  const cli::HelpPage page{
      .name = "heed go",
      .summary = "Go",
      .examples = {"heed go --first \"a b\" --second two --third three --more and-more"},
      .rows = {{.names = "--first",
                .help = "a help text that is too long for one line of this page",
                .section = "Options"}}};
  const std::string text = cli::help_text(page, 60);
  for (const std::string_view line : split(text, '\n')) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_TRUE(
      has(text, "  heed go --first \"a b\" --second two --third three \\\n      --more and-more\n"))
      << text;
}

TEST(HelpPage, IsAManualPageThatRoffTakesAsItIs) {
  const std::string page = cli::manual_page({.name = "heed go",
                                             .summary = "Go",
                                             .description = ".hidden \\n -x",
                                             .examples = {},
                                             .rows = {}},
                                            "1.2");
  EXPECT_TRUE(page.starts_with(".TH \"heed\\-go\" 1 \"\" \"heed 1.2\"")) << page;
  EXPECT_TRUE(has(page, "\n\\&.hidden \\en \\-x\n")) << page;
}

TEST(HeedHelp, ExplainsAVerbInOneWordOrTwo) {
  EXPECT_EQ(run_heed({"help"}).out, run_heed({}).out);
  EXPECT_EQ(run_heed({"help", "tensors"}).out, run_heed({"tensors", "--help"}).out);
  const std::string page = run_heed({"help", "train", "translate"}).out;
  EXPECT_EQ(page, run_heed({"train", "translate", "--help"}).out);
  EXPECT_TRUE(has(page, "Usage:\n  heed train translate --out FOLDER [OPTIONS]\n")) << page;
  for (const char* section : {"Required:", "Data:", "Vocabulary:", "Model:", "Transformer:",
                              "Optimiser:", "Learning rate:", "General:"}) {
    EXPECT_TRUE(has(page, fmt::format("\n{}\n", section))) << section;
  }
  EXPECT_LT(page.find("\nRequired:\n"), page.find("\nData:\n"));
  EXPECT_FALSE(has(page, "=\"\"")) << "defaults are plain";
  for (const std::string_view line : split(page, '\n')) EXPECT_LE(line.size(), 100u) << line;
}

TEST(HeedHelp, MarksWhatATrainingCannotDoWithout) {
  for (const char* task : {"classify", "language", "masked"}) {
    const std::string page = run_heed({"help", "train", task}).out;
    EXPECT_TRUE(
        has(page, fmt::format("  heed train {} --out FOLDER --train FILE [OPTIONS]\n", task)))
        << page;
  }
}

TEST(HeedHelp, DoesWithoutPhrasesThatReadersStumbledOver) {
  for (const std::string verb : {"generate", "translate", "serve", "train language"}) {
    std::vector<std::string> words = {"help"};
    for (const std::string_view word : split(verb, ' ')) words.emplace_back(word);
    const ProgramResult page = run_heed(words);
    EXPECT_EQ(page.exit_code, 0) << page.err;
    for (const char* phrase : {"no so many", "come twice", "as many as cores", "  of sampling"}) {
      EXPECT_FALSE(has(page.out, phrase)) << verb << ": " << phrase;
    }
  }
}

TEST(HeedHelp, ListsTheTasksOfAVerbThatTakesOne) {
  const ProgramResult tasks = run_heed({"train", "--help"});
  EXPECT_EQ(tasks.exit_code, 0);
  EXPECT_TRUE(has(tasks.out, "\n  train classify ")) << tasks.out;
  EXPECT_EQ(run_heed({"help", "train"}).out, tasks.out);
}

TEST(HeedHelp, NamesTheNearestVerbAndTask) {
  const ProgramResult task = run_heed({"train", "clasify"});
  EXPECT_EQ(task.exit_code, 2);
  EXPECT_TRUE(has(task.err, "there is no task \"clasify\" (did you mean \"classify\"?)"))
      << task.err;
  const ProgramResult verb = run_heed({"help", "tranlsate"});
  EXPECT_EQ(verb.exit_code, 2);
  EXPECT_TRUE(has(verb.err, "did you mean \"translate\"?")) << verb.err;
  EXPECT_EQ(run_heed({"help", "tensors", "more"}).exit_code, 2);
}

TEST(HeedHelp, NamesTheWholeVerbInMessages) {
  const ProgramResult result = run_heed({"train", "classify", "--no-such-option"});
  EXPECT_TRUE(result.err.starts_with("heed train classify: ")) << result.err;
}

TEST(HeedHelp, WritesAManualPageOfEveryVerb) {
  const TemporaryFolder folder;
  const std::string place = (folder / "man1").string();
  ASSERT_EQ(run_heed({"help", "--manual", place}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "man1" / "heed.1"));
  const std::string page = read_file(folder / "man1" / "heed-train-translate.1");
  EXPECT_TRUE(has(page, ".SH Required\n.TP\n.B \\-o, \\-\\-out FOLDER\n")) << page.substr(0, 2000);
}

TEST(HeedHelp, LetsOptionsBeGivenByTheirLetters) {
  const ProgramResult dumped =
      run_heed({"translate", "-m", "one", "-i", "in.txt", "--dump-config"});
  EXPECT_TRUE(has(dumped.out, "model = [\"one\"]")) << dumped.out << dumped.err;
  EXPECT_TRUE(has(dumped.out, "input = \"in.txt\"")) << dumped.out;
}

TEST(Verbosity, SaysLessOrMoreOnStandardErrorAndTheSameOnStandardOutput) {
  const TemporaryFolder folder;
  const std::string file = (folder / "text.txt").string();
  test::put(file, "one two three\nthree two one\none one two\n");
  const auto train = [&](const char* name, std::vector<std::string> more) {
    std::vector<std::string> words = {"train",         "language",
                                      "--train",       file,
                                      "--valid",       file,
                                      "--tokeniser",   "words",
                                      "--preset",      "",
                                      "--model",       "recurrent",
                                      "--embedding",   "4",
                                      "--hidden",      "4",
                                      "--tracks",      "1",
                                      "--window",      "3",
                                      "--max-updates", "2",
                                      "--log-every",   "1",
                                      "--out",         (folder / name).string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_heed(words);
  };
  const ProgramResult normal = train("a", {});
  ASSERT_EQ(normal.exit_code, 0) << normal.err;
  EXPECT_TRUE(has(normal.err, "update 1 ")) << normal.err;
  const ProgramResult quiet = train("b", {"--quiet"});
  EXPECT_EQ(quiet.exit_code, 0);
  EXPECT_EQ(std::ranges::count(quiet.err, '\n'), 1) << quiet.err;
  EXPECT_TRUE(has(quiet.err, "warning: ")) << "of validation data that are the training data";
  EXPECT_TRUE(has(quiet.out, "The model is in ")) << quiet.out;
  const ProgramResult verbose = train("c", {"-v"});
  EXPECT_TRUE(has(verbose.err, "--hidden = 4\n")) << verbose.err;
  EXPECT_TRUE(has(verbose.err, " of memory at most\n")) << verbose.err;
  EXPECT_EQ(run_heed({"info", "-q", "-v"}).exit_code, 2);
}

}  // namespace
}  // namespace heed
