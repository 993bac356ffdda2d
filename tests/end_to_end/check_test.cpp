// SPDX-License-Identifier: Apache-2.0
// People's own data as they meet the program: tables, encodings, `heed check`, dry runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Rows of opinions as a spreadsheet exports them.
std::string exported(int count) {
  constexpr const char* kThings[] = {"room", "bed", "street", "staff", "food", "bath"};
  constexpr const char* kGood[] = {"lovely", "fine", "clean"};
  constexpr const char* kBad[] = {"awful", "dirty", "noisy"};
  std::string table = "\xEF\xBB\xBFid,review,stars\r\n";
  for (int i = 0; i < count; ++i) {
    const bool good = i % 2 == 0;
    table += fmt::format("{},\"The {}, it was \"\"{}\"\".\r\nTrip {}.\",{}\r\n", i, kThings[i % 6],
                         (good ? kGood : kBad)[i / 2 % 3], i, good ? "good" : "bad");
  }
  return table;
}

class HeedCheck : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, std::string_view content) const {
    put(folder_ / name, content);
  }

  TemporaryFolder folder_;
};

TEST_F(HeedCheck, ATableOfASpreadsheetTrainsAndIsJudgedWithoutConversion) {
  write("reviews.csv", exported(300));
  const ProgramResult trained =
      run_heed({"train", "classify", "--train", file("reviews.csv"), "--valid-fraction", "0.2",
                "--text-column", "review", "--label-column", "stars", "--preset", "bag",
                "--max-updates", "60", "--validate-every", "30", "--out", file("model")});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_TRUE(has(trained.err,
                  "reviews.csv: 300 texts, 7 to 7 words (median 7), 2 classes; label "
                  "in column 3 (stars), text in column 2 (review)"))
      << trained.err;
  EXPECT_FALSE(has(trained.err, "warning")) << trained.err;
  const ProgramResult judged =
      run_heed({"classify", "--model", file("model"), "--data", file("reviews.csv")});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  EXPECT_TRUE(has(judged.out, "300 texts, accuracy 1.0000")) << judged.out;
  EXPECT_EQ(get(folder_ / "model/labels.tsv").substr(0, 10), "label\tbad\t");
}

TEST_F(HeedCheck, CountsWhatThereIsAndWhatATrainingTakes) {
  write("reviews.csv", exported(200));
  write("valid.csv", exported(20));
  const ProgramResult checked = run_heed({"check", file("reviews.csv"), file("valid.csv"), "--json",
                                          "--text-column", "review", "--label-column", "stars"});
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  const json report = json::parse(checked.out);
  EXPECT_EQ(report["task"], "classify");
  EXPECT_EQ(report["parts"][0]["texts"], 200);
  EXPECT_EQ(report["parts"][0]["classes"]["label"]["good"], 100);
  EXPECT_EQ(report["parts"][0]["words"]["median"], 7);
  EXPECT_EQ(report["parts"][1]["shared"]["count"], 20);
  ASSERT_EQ(report["warnings"].size(), 1u);
  EXPECT_TRUE(has(report["warnings"][0], "20 of 20 texts are in the training data too"));
  ASSERT_EQ(report["trainings"].size(), 1u);
  EXPECT_EQ(report["trainings"][0]["command"], "heed train classify");
  EXPECT_GT(report["trainings"][0]["parameters"], 1000);
  EXPECT_GT(report["trainings"][0]["seconds_per_update"], 0);
}

TEST_F(HeedCheck, TakesPlainLinesForTextAndPairsForTranslations) {
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += fmt::format("line {} of some text, with words\n", i);
  write("a.txt", lines);
  const ProgramResult plain = run_heed({"check", file("a.txt")});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_TRUE(has(plain.out, "lines        300, ")) << plain.out;
  EXPECT_TRUE(has(plain.out, "heed train language: vocabulary ")) << plain.out;
  EXPECT_TRUE(has(plain.out, "heed train masked: vocabulary ")) << plain.out;
  EXPECT_FALSE(has(plain.out, "heed train translate")) << plain.out;
  write("a.en", lines);
  write("a.fr", lines);
  const ProgramResult pairs = run_heed({"check", file("a.en"), file("a.fr"), "--no-measure"});
  ASSERT_EQ(pairs.exit_code, 0) << pairs.err;
  EXPECT_TRUE(has(pairs.out, "pairs        300, ")) << pairs.out;
  EXPECT_TRUE(has(pairs.out, "source and target are the same text")) << pairs.out;
}

TEST_F(HeedCheck, SaysWhatATrainingWouldRefuseAndExitsWithThree) {
  write("wide.tsv", std::string_view("\xFF\xFE"
                                     "a\0\t\0b\0\n\0",
                                     10));
  const ProgramResult wide = run_heed({"check", file("wide.tsv"), "--task", "classify"});
  EXPECT_EQ(wide.exit_code, 3);
  EXPECT_TRUE(has(wide.err,
                  "wide.tsv:1: the file is UTF-16, and Heed reads UTF-8; convert it with "
                  "`iconv -f UTF-16 -t UTF-8 "))
      << wide.err;
  const ProgramResult trained = run_heed({"train", "classify", "--train", file("wide.tsv"),
                                          "--max-updates", "1", "--out", file("model")});
  EXPECT_EQ(trained.exit_code, 3);
  EXPECT_TRUE(has(trained.err, "iconv -f UTF-16 ")) << trained.err;
  EXPECT_FALSE(std::filesystem::exists(file("model")));
  write("a.tsv", "good\tone\nno tab\n\tno label\n");
  const ProgramResult rows = run_heed({"check", file("a.tsv")});
  EXPECT_EQ(rows.exit_code, 3);
  EXPECT_TRUE(has(rows.out, "that cannot be read: 2 (lines 2, 3)")) << rows.out;
}

TEST_F(HeedCheck, SuspectsHeadersSwappedColumnsAndQuotesAtTheStartOfATraining) {
  const auto start = [&](const std::string& content, std::vector<std::string> more = {}) {
    write("t.tsv", content);
    std::vector<std::string> words = {"train",     "classify", "--train",       file("t.tsv"),
                                      "--preset",  "bag",      "--max-updates", "1",
                                      "--dry-run", "--out",    file("model")};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  std::string right;
  std::string swapped;
  std::string quoted;
  for (int i = 0; i < 300; ++i) {
    const char* label = i % 2 == 0 ? "neg" : "pos";
    right += fmt::format("{}\texcellent battery number {}\n", label, i);
    swapped += fmt::format("excellent battery number {}\t{}\n", i % 89, label);
    quoted += fmt::format("\"{}\"\t\"battery number {}\"\n", label, i);
  }
  EXPECT_FALSE(has(start(right), "warning"));
  EXPECT_TRUE(has(start("urteil\tmeinung\n" + right), "does it name the columns?"));
  EXPECT_TRUE(has(start("label\ttext\n" + right), "300 texts, 4 to 4 words (median 4), 2 classes"));
  EXPECT_TRUE(has(start(swapped), "89 labels for 300 texts: are the columns swapped?"));
  EXPECT_FALSE(has(start(quoted), "quotes"));
  EXPECT_TRUE(has(start(quoted, {"--quotes", "no"}), "fields in quotes, which are kept: 300"));
}

TEST_F(HeedCheck, ADryRunOfATrainingWritesNothing) {
  std::string lines;
  for (int i = 0; i < 400; ++i) lines += fmt::format("line {} of some text\n", i);
  write("a.txt", lines);
  const ProgramResult dry =
      run_heed({"train", "language", "--train", file("a.txt"), "--tracks", "4", "--max-updates",
                "5", "--out", file("model"), "--dry-run"});
  ASSERT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_EQ(dry.out, "Nothing was written; leave --dry-run out to train.\n");
  EXPECT_TRUE(has(dry.err, "a.txt: 400 texts, 5 to 5 words (median 5)")) << dry.err;
  EXPECT_TRUE(has(dry.err, " per update, ")) << dry.err;
  EXPECT_FALSE(std::filesystem::exists(file("model")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(HeedCheck, AsksForTheKindWhereFilesDoNotTell) {
  write("a.txt", "a\n");
  const ProgramResult asked = run_heed({"check", file("a.txt"), file("a.txt"), file("a.txt")});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_TRUE(has(asked.err, "for which kind of model are they? Say so with --task: "))
      << asked.err;
  const ProgramResult wrong = run_heed({"check", file("a.txt"), "--task", "clasify"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(has(wrong.err, "did you mean \"classify\"?")) << wrong.err;
}

}  // namespace
}  // namespace heed::test
