// SPDX-License-Identifier: Apache-2.0
// The verb `corpus` as a user meets it: the list, the files, and what mistakes get.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

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
                            "heads as .heads\n");
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

}  // namespace
}  // namespace heed::test
