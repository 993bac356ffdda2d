// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify_quality.h"

#include <gtest/gtest.h>

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

TEST(Evidence, IsReadByLineAndColumn) {
  const test::TemporaryFolder folder;
  test::put(folder / "e", "3 4\t\n\t0\n");
  EXPECT_EQ(read_evidence(folder / "e", 2), (std::vector<Evidence>{{{3, 4}, {}}, {{}, {0}}}));
  EXPECT_TRUE(test::message_of<DataError>([&] {
                read_evidence(folder / "e", 3);
              }).ends_with("e:1: 2 columns for 3 aspects; it takes one each, tabs between them"));
  test::put(folder / "e", "3 x\n");
  EXPECT_TRUE(test::message_of<DataError>([&] { read_evidence(folder / "e", 1); }).find("e:1: ") !=
              std::string::npos);
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
