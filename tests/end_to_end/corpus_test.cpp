// SPDX-License-Identifier: Apache-2.0
// The verb `corpus` as a user meets it: the list, the files, and what mistakes get.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "heed/text/pharaoh.h"
#include "run_program.h"

namespace heed::test {
namespace {

std::size_t lines_in(const std::filesystem::path& path) {
  return static_cast<std::size_t>(std::ranges::count(get(path), '\n'));
}

TEST(HeedCorpus, ListsEveryCorpusWithAnExample) {
  const ProgramResult result = run_heed({"corpus"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split(result.out, '\n');
  const auto phrases = std::ranges::find(
      lines, "phrases: English sentences and their French translations (50000 pairs)");
  ASSERT_LT(phrases, lines.end() - 2) << result.out;
  EXPECT_TRUE(phrases[1].starts_with("  ") && phrases[2].starts_with("  ")) << result.out;
}

TEST(HeedCorpus, WritesThreePartsWithGoldAlignments) {
  const TemporaryFolder folder;
  const std::string out = (folder / "deep/data").string();
  const ProgramResult result = run_heed({"corpus", "phrases", "--out", out, "--size", "500"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, out +
                            ": train 470, valid 10, test 20 pairs as .en and .fr, alignments as "
                            ".align\n");
  for (const auto& [part, count] :
       {std::pair{"train", 470u}, std::pair{"valid", 10u}, std::pair{"test", 20u}}) {
    for (const char* suffix : {".en", ".fr", ".align"}) {
      EXPECT_EQ(lines_in(out + "/" + part + suffix), count) << part << suffix;
    }
  }
  const std::string english = get(out + "/test.en"), links = get(out + "/test.align");
  const auto sentences = split(english, '\n'), alignments = split(links, '\n');
  for (std::size_t i = 0; i < 20; ++i) {
    const auto words = std::ranges::count(sentences[i], ' ') + 1;
    for (const text::Link& link : text::parse_pharaoh(alignments[i])) EXPECT_LT(link.source, words);
  }
}

TEST(HeedCorpus, WritesATableOfLabelsWithTheFarPartBeside) {
  const TemporaryFolder folder;
  const std::string out = (folder / "data").string();
  const ProgramResult result = run_heed({"corpus", "agreement", "--out", out, "--size", "500"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, out +
                            ": train 470, valid 10, test 20, test-far 20 beginnings as .tsv, "
                            "heads as .heads, parts of speech as .parts\n");
  EXPECT_EQ(lines_in(out + "/test-far.tsv"), 20u);
  EXPECT_EQ(std::ranges::count(get(out + "/train.tsv"), '\t'), 470);
}

TEST(HeedCorpus, GivesTheSameBytesForTheSameSeed) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"}) {
    const std::string seed = name[0] == 'c' ? "2" : "1";
    ASSERT_EQ(run_heed({"corpus", "dates", "--out", (folder / name).string(), "--size", "100",
                        "--seed", seed})
                  .exit_code,
              0);
  }
  EXPECT_EQ(get(folder / "a/train.text"), get(folder / "b/train.text"));
  EXPECT_EQ(get(folder / "a/train.iso"), get(folder / "b/train.iso"));
  EXPECT_NE(get(folder / "a/train.text"), get(folder / "c/train.text"));
}

TEST(HeedCorpus, SaysWhatWouldBeRight) {
  const TemporaryFolder folder;
  const ProgramResult unknown = run_heed({"corpus", "phrase", "--out", (folder / "x").string()});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"phrases\"?"), std::string::npos) << unknown.err;
  EXPECT_EQ(run_heed({"corpus", "phrases"}).exit_code, 2) << "no folder";
  EXPECT_EQ(run_heed({"corpus", "--out", (folder / "x").string()}).exit_code, 2) << "no name";
  const ProgramResult many = run_heed(
      {"corpus", "copy", "--out", (folder / "x").string(), "--size", "30", "--max-length", "1"});
  EXPECT_EQ(many.exit_code, 2);
  EXPECT_NE(many.err.find("than the 26 or so that there are"), std::string::npos) << many.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "x")) << "nothing is half-written";
  put(folder / "file", "");
  const ProgramResult file = run_heed({"corpus", "copy", "--out", (folder / "file").string()});
  EXPECT_EQ(file.exit_code, 3) << file.err;
}

TEST(HeedCorpus, SetsWhatACorpusLetsChoose) {
  const TemporaryFolder folder;
  const std::string out = (folder / "data").string();
  const auto made = [&](const std::vector<std::string>& settings) {
    std::vector<std::string> words = {"corpus",       "listops", "--out",        out,
                                      "--size",       "50",      "--min-length", "60",
                                      "--max-length", "80",      "--set"};
    words.insert(words.end(), settings.begin(), settings.end());
    return run_heed(words);
  };
  const ProgramResult small = made({"depth=3", "arguments=6"});
  ASSERT_EQ(small.exit_code, 0) << small.err;
  EXPECT_EQ(small.out, out + ": train 47, valid 1, test 2 lists as .tsv\n");
  const ProgramResult none = made({"deep=3"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("no setting is called \"deep\""), std::string::npos) << none.err;
  const ProgramResult full = made({"depth=1"});
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.err.find("let them be deeper, or have more arguments"), std::string::npos)
      << full.err;
}

// A letter at the beginning, blanks, and the last state has to know it: byte by byte.
TEST(HeedCorpus, OfCopyMemoryIsLearntByBytesWithLinearAttention) {
  const TemporaryFolder folder;
  const std::string data = (folder / "data").string(), model = (folder / "model").string();
  const ProgramResult made =
      run_heed({"corpus", "copy-memory", "--size", "400", "--min-length", "3", "--max-length", "60",
                "--set", "letters=1", "--out", data});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const ProgramResult trained = run_heed({"train",
                                          "classify",
                                          "--train",
                                          data + "/train.tsv",
                                          "--tokeniser",
                                          "bytes",
                                          "--encoder",
                                          "transformer",
                                          "--encoder-attention",
                                          "linear",
                                          "--attention",
                                          "none",
                                          "--pooling",
                                          "last",
                                          "--width",
                                          "16",
                                          "--heads",
                                          "1",
                                          "--inner",
                                          "32",
                                          "--layers",
                                          "1",
                                          "--dropout",
                                          "0",
                                          "--batch-sentences",
                                          "32",
                                          "--max-updates",
                                          "250",
                                          "--learning-rate",
                                          "0.01",
                                          "--schedule",
                                          "cosine",
                                          "--decay-updates",
                                          "250",
                                          "--threads",
                                          "1",
                                          "--out",
                                          model});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const ProgramResult judged =
      run_heed({"classify", "--model", model, "--data", data + "/test.tsv", "--json"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_GE(nlohmann::json::parse(judged.out)["accuracy"].get<double>(), .9) << judged.out;
}

TEST(HeedPixels, AreATableThatClassifiersOfTextsRead) {
  const TemporaryFolder folder;
  const auto file = [&](std::string_view name) { return (folder / name).string(); };
  const ProgramResult made = run_heed({"corpus", "pathfinder", "--size", "50", "--set", "side=24",
                                       "dashes=2", "distractors=0", "--out", file("data")});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::vector<std::string> words = {"pixels",
                                          "--images",
                                          file("data/train-images.idx"),
                                          "--labels",
                                          file("data/train-labels.idx"),
                                          "--levels",
                                          "2",
                                          "--first",
                                          "40",
                                          "--out",
                                          file("rows.tsv")};
  const ProgramResult rows = run_heed(words);
  ASSERT_EQ(rows.exit_code, 0) << rows.err;
  EXPECT_EQ(rows.out,
            file("rows.tsv") + ": 40 images of 2 labels as 576 numbers from 0 to 1 each\n");
  const std::string table = get(folder / "rows.tsv");
  EXPECT_EQ(std::ranges::count(table, '\n'), 40);
  EXPECT_EQ(std::ranges::count(table, ' '), 40 * 575);
  EXPECT_EQ(table.find_first_not_of("01\t \n"), std::string::npos);
  const ProgramResult again = run_heed(words);
  EXPECT_EQ(again.exit_code, 2) << "it is there already";
  const ProgramResult none = run_heed({"pixels", "--out", file("other.tsv")});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("give --images with --labels, two IDX files, or --folder"),
            std::string::npos);
  const ProgramResult trained = run_heed({"train",
                                          "classify",
                                          "--train",
                                          file("rows.tsv"),
                                          "--tokeniser",
                                          "spaced",
                                          "--encoder",
                                          "transformer",
                                          "--encoder-attention",
                                          "linformer(rank=8, length=600)",
                                          "--width",
                                          "16",
                                          "--heads",
                                          "2",
                                          "--inner",
                                          "16",
                                          "--layers",
                                          "1",
                                          "--max-updates",
                                          "2",
                                          "--batch-sentences",
                                          "4",
                                          "--out",
                                          file("model")});
  EXPECT_EQ(trained.exit_code, 0) << trained.err;
}

}  // namespace
}  // namespace heed::test
