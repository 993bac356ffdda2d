// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/classify_quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

text::Labels yes_and_no() {
  text::Labels counted(std::vector<std::string>{"label"});
  for (const char* label : {"no", "yes"}) counted.add(std::vector<std::string>{label});
  return counted;
}

Classification judged(const char* label, double no, std::vector<double> attention = {}) {
  return {.aspects = {{.aspect = "label",
                       .label = label,
                       .probability = std::max(no, 1 - no),
                       .probabilities = {no, 1 - no},
                       .attention = std::move(attention)}}};
}

TEST(ClassifyQuality, ComparesLabelsAndRanksProbabilities) {
  const std::vector<text::LabelledText> texts = {
      {{"yes"}, "a", ""}, {{"no"}, "b", ""}, {{"no"}, "c", ""}};
  const std::vector<Classification> found = {judged("yes", .4), judged("yes", .3),
                                             judged("no", .9)};
  const auto quality = quality_of(texts, found, yes_and_no());
  ASSERT_EQ(quality.size(), 1u);
  EXPECT_DOUBLE_EQ(quality[0].confusion.accuracy(), 2. / 3);
  EXPECT_DOUBLE_EQ(quality[0].roc_auc, .5);  // yes at .6 against no at .7 and .1
}

TEST(Evidence, CountsTextsWhoseHighestWeightIsOnAWordThatDecides) {
  const std::vector<Evidence> evidence = {{{1, 2}}, {{0}}, {{}}};
  const std::vector<Classification> found = {judged("no", .9, {.1, .3, .6}),
                                             judged("no", .9, {.4, .6}), judged("no", .9, {1})};
  EXPECT_EQ(evidence_found(evidence, found), std::vector<double>{.5});
  EXPECT_THROW(evidence_found(std::span(evidence).first(2), found), UsageError);
  const std::vector<Classification> blind = {judged("no", .9)};
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                evidence_found(std::span(evidence).first(1), blind);
              }).starts_with("evidence: this model has no attention"));
}

TEST(Evidence, IsUnknownWhereNoTextHasAny) {
  const std::vector<Evidence> evidence = {{{}, {0}}};
  Classification found = judged("no", .9, {1});
  found.aspects.push_back(found.aspects.front());
  const std::vector<double> shares = evidence_found(evidence, std::span(&found, 1));
  EXPECT_TRUE(std::isnan(shares[0]));
  EXPECT_EQ(shares[1], 1);
}

struct EvidenceFile {
  test::TemporaryFolder folder;
  std::vector<text::LabelledText> texts{{{"a", "b"}, "one two three four five", ""},
                                        {{"a", "b"}, "one", ""}};

  std::vector<Evidence> read(std::string_view lines,
                             const std::vector<std::int64_t>& columns = {}) const {
    test::put(folder / "e", lines);
    return read_evidence(folder / "e", texts, "data.tsv", columns);
  }
  std::string mistake(std::string_view lines, const std::vector<std::int64_t>& columns = {}) const {
    const std::string message = test::message_of<DataError>([&] { read(lines, columns); });
    return message.substr(std::min(message.size(), folder.path().string().size() + 1));
  }
};

TEST(Evidence, IsReadByLineAndColumn) {
  const EvidenceFile file;
  EXPECT_EQ(file.read("3 4\t\n\t0\n"), (std::vector<Evidence>{{{3, 4}, {}}, {{}, {0}}}));
  EXPECT_EQ(file.mistake("3\n"),
            "e:1: 1 column for 2 aspects; it takes one each, tabs between them");
  EXPECT_EQ(file.mistake("3 x\t\n\t\n"), "e:1: a word's number is \"x\": it takes a whole number");
}

TEST(Evidence, IsThatOfTheColumnsThatAreChosen) {
  const EvidenceFile file;
  EXPECT_EQ(file.read("1\t2\t3\n\t0\t\n", {3, 2}), (std::vector<Evidence>{{{3}, {2}}, {{}, {0}}}));
  EXPECT_EQ(file.mistake("1\t2\n\t\n", {1, 3}), "e:1: no column 3; it has 2, counted from 1");
  EXPECT_TRUE(file.mistake("1\t2\n\t\n", {2}).starts_with("e:1: 1 column for 2 aspects"));
}

TEST(Evidence, IsNoWordThatTheTextHasNot) {
  const EvidenceFile file;
  EXPECT_EQ(file.mistake("\t5\n\t\n"),
            "e:1: there is no word 5: its text has 5 words, counted from 0");
  EXPECT_EQ(file.mistake("\t\n9999\t\n"),
            "e:2: there is no word 9999: its text has 1 word, counted from 0");
  EXPECT_TRUE(file.mistake("-1\t\n\t\n").starts_with("e:1: there is no word -1"));
  EXPECT_TRUE(file.mistake("4294967296\t\n\t\n").starts_with("e:1: there is no word 4294967296"));
}

TEST(Evidence, HasALineForEveryText) {
  const EvidenceFile file;
  EXPECT_EQ(file.mistake("\t\n"),
            "e has 1 line and data.tsv has 2 texts; line n of one must belong to text n of the "
            "other");
  EXPECT_TRUE(file.mistake("\t\n\t\n\t\n\t\n").starts_with("e has 4 lines and data.tsv has 2"));
}

TEST(ReadLabelled, NamesTheLineOfALabelTheModelDoesNotKnow) {
  const test::TemporaryFolder folder;
  test::put(folder / "d", "yes\ta\nperhaps\tb\n");
  EXPECT_TRUE(test::message_of<DataError>([&] {
                read_labelled(folder / "d", {}, yes_and_no());
              }).find("d:2: no training text has the label \"perhaps\"") != std::string::npos);
  test::put(folder / "d", "yes\ta\n");
  EXPECT_EQ(read_labelled(folder / "d", {}, yes_and_no()).size(), 1u);
}

}  // namespace
}  // namespace heed::pipeline
