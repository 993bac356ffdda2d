// SPDX-License-Identifier: Apache-2.0
// Every `heed` command that a page or a help text shows has a verb that exists, options that it
// takes, and values that these take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "pages.h"
#include "run_program.h"
#include "shell_commands.h"

namespace heed::test {
namespace {

// `heed VERB --help`, run once for each verb. Of `heed train` alone, whose task a recipe or the
// reader supplies, that of a translator is read: all tasks share the trainer's options.
const ProgramResult& help_of(const Words& call) {
  static std::map<Words, ProgramResult> helps;
  Words words = {call[1]};
  if (call[1] == "train") {
    const bool has_task = call.size() > 2 && std::islower(call[2].front()) != 0;
    words.push_back(has_task ? call[2] : "translate");
  }
  words.emplace_back("--help");
  const auto [place, is_new] = helps.try_emplace(words);
  if (is_new) place->second = run_heed(words);
  return place->second;
}

// What is wrong with the names in a call, such as `heed view --gold`; empty when nothing is.
std::string wrong_name_in(const Words& call) {
  if (call.size() == 1 || call[1] == "--help" || call[1] == "--version") return {};
  const ProgramResult& help = help_of(call);
  if (help.exit_code != 0) return help.err;
  for (const std::string& word : call) {
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    const bool taken_back = name.starts_with("--no-");
    const std::string flag = "--\\[no-\\]" + name.substr(taken_back ? 5 : 2);
    if (!std::regex_search(help.out, std::regex("[ ,](" + name + "|" + flag + ")[ ,\n]"))) {
      return "there is no option " + name;
    }
  }
  return {};
}

// What is wrong with a whole call. A verb that can dump its options is run with --dump-config,
// which reads all of them and their values; it may miss a model folder then, which only a reader
// has, but no recipe.
std::string mistake_in(const Words& call) {
  constexpr int kDataError = 3;
  if (std::string wrong = wrong_name_in(call); !wrong.empty()) return wrong;
  if (call.size() == 1 || call.back() == "--help" || call.back() == "--version") return {};
  if (help_of(call).out.find("--dump-config") == std::string::npos) return {};
  Words words(call.begin() + 1, call.end());
  words.emplace_back("--dump-config");
  const ProgramResult result = run_heed(words, {.folder = HEED_SOURCE_DIR});
  const bool needs_recipe =
      std::ranges::any_of(call, [](const auto& word) { return word.starts_with("recipes/"); });
  const bool misses_folder = result.exit_code == kDataError && !needs_recipe;
  return result.exit_code == 0 || misses_folder ? "" : result.err;
}

TEST(ShownCommands, OfEveryPageAreTaken) {
  std::size_t calls = 0;
  for (const auto& [path, page] : pages()) {
    for (const ShownCommand& shown : shown_commands(page)) {
      for (const Words& call : heed_calls(shown.line)) {
        EXPECT_EQ(shown.is_whole ? mistake_in(call) : wrong_name_in(call), "")
            << path << ":" << shown.number << ": " << shown.line;
        calls += shown.is_whole;
      }
    }
  }
  EXPECT_GT(calls, 60u);
}

TEST(ShownCommands, OfEveryHelpTextAreTaken) {
  const std::string list = run_heed({}).out;
  std::size_t calls = 0;
  for (const std::string& verb : found_in(list, "\n  ([a-z]+(?: [a-z]+)?)  ")) {
    const ProgramResult help = run_heed(words_of(verb, {"--help"}));
    ASSERT_EQ(help.exit_code, 0) << verb << help.err;
    const std::size_t examples = help.out.find("\nExample");
    ASSERT_NE(examples, std::string::npos) << verb << ": " << help.out;
    // Over several lines, joined as a shell joins them.
    const std::string shown = std::regex_replace(
        help.out.substr(examples + 1, help.out.find("\n\n", examples) - examples),
        std::regex(" \\\\\n +"), " ");
    for (const std::string_view line : split(shown, '\n')) {
      for (const Words& call : heed_calls(line)) {
        EXPECT_EQ(mistake_in(call), "") << "heed " << verb << " --help: " << line;
        ++calls;
      }
    }
  }
  EXPECT_GT(calls, 40u);
}

TEST(ShownCommands, AreNotTakenWhenTheirVerbOptionOrValueIsWrong) {
  const auto mistake = [](std::string_view line) { return mistake_in(heed_calls(line).at(0)); };
  EXPECT_EQ(mistake("heed translate --model m --beam 3 < in.txt"), "");
  EXPECT_NE(mistake("heed translate --model m --baem 3").find("--baem"), std::string::npos);
  EXPECT_NE(mistake("heed translate --model m --beam three").find("beam"), std::string::npos);
  EXPECT_NE(mistake("heed translat").find("translate"), std::string::npos);
  EXPECT_EQ(mistake("heed train --config recipes/dates-rnn.toml --out m"), "");
  EXPECT_NE(mistake("heed train --config recipes/no.toml --out m").find("no.toml"),
            std::string::npos);
  EXPECT_NE(mistake("heed info --jsn").find("--jsn"), std::string::npos);
  EXPECT_EQ(mistake("heed info --json"), "");
}

TEST(ShellLine, TakesALineApartAsAShellWould) {
  const std::vector<Words> calls =
      heed_calls("echo \"a | b\" | COLUMNS=9 heed go \"x \\\"y\\\" z\" '# w' < in > out 2>&1 # no");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0], (Words{"heed", "go", "x \"y\" z", "# w"}));
  EXPECT_EQ(heed_calls("eval \"$(heed finish bash)\""),
            (std::vector<Words>{{"heed", "finish", "bash"}}));
  EXPECT_EQ(heed_calls("heed a & heed b; heed c && ls"),
            (std::vector<Words>{{"heed", "a"}, {"heed", "b"}, {"heed", "c"}}));
  EXPECT_EQ(heed_calls("taskset -c 0-3 heed a"), (std::vector<Words>{{"heed", "a"}}));
  EXPECT_EQ(heed_calls("# heed a").size(), 0u);
  EXPECT_EQ(heed_calls("echo heed a").size(), 0u);
}

TEST(ShownCommands, AreFoundWhereNoTestRunsThem) {
  const std::string page =
      "Run `heed a --b` or:\n\n    $ heed c \\\n      --d\n\n```sh\nheed e\n```\n"
      "```console\n$ heed f\n```\n";
  const std::vector<ShownCommand> shown = shown_commands(page);
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[0].line, "heed a --b");
  EXPECT_FALSE(shown[0].is_whole);
  EXPECT_TRUE(shown[1].is_whole);
  EXPECT_EQ(shown[1].line, "heed c --d");
  EXPECT_EQ(shown[1].number, 3u);
  EXPECT_EQ(shown[2].line, "heed e");
}

}  // namespace
}  // namespace heed::test
