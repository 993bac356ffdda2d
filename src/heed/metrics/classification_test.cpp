// SPDX-License-Identifier: Apache-2.0
// Confusion matrices and ROC-AUC against values counted by hand.
#include "heed/metrics/classification.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::metrics {
namespace {

//           found a  b  c
//   true a        3  1  0
//   true b        2  2  0
//   true c        0  1  1
Confusion example() {
  Confusion confusion({"a", "b", "c"});
  const std::int32_t counts[3][3] = {{3, 1, 0}, {2, 2, 0}, {0, 1, 1}};
  for (std::int32_t truth = 0; truth < 3; ++truth) {
    for (std::int32_t found = 0; found < 3; ++found) {
      for (std::int32_t i = 0; i < counts[truth][found]; ++i) confusion.add(truth, found);
    }
  }
  return confusion;
}

TEST(Confusion, GivesPrecisionRecallAndF1OfEachClass) {
  const Confusion confusion = example();
  EXPECT_EQ(confusion.examples(), 10);
  EXPECT_DOUBLE_EQ(confusion.accuracy(), .6);
  const ClassQuality a = confusion.of(0);
  EXPECT_DOUBLE_EQ(a.precision, 3. / 5);
  EXPECT_DOUBLE_EQ(a.recall, 3. / 4);
  EXPECT_DOUBLE_EQ(a.f1, 2. / 3);
  EXPECT_EQ(a.support, 4);
  const ClassQuality c = confusion.of(2);
  EXPECT_DOUBLE_EQ(c.precision, 1);
  EXPECT_DOUBLE_EQ(c.recall, .5);
  EXPECT_DOUBLE_EQ(c.f1, 2. / 3);
}

TEST(Confusion, TakesTheMeanOverClassesOrOverDecisions) {
  const Confusion confusion = example();
  EXPECT_DOUBLE_EQ(confusion.macro().precision, (.6 + .5 + 1) / 3);
  EXPECT_DOUBLE_EQ(confusion.macro().recall, (.75 + .5 + .5) / 3);
  EXPECT_DOUBLE_EQ(confusion.macro().f1, (2. / 3 + .5 + 2. / 3) / 3);
  EXPECT_DOUBLE_EQ(confusion.micro().f1, .6);
}

TEST(Confusion, LeavesClassesWithoutExamplesOutOfTheMean) {
  Confusion confusion({"a", "b"});
  confusion.add(0, 0);
  EXPECT_DOUBLE_EQ(confusion.macro().f1, 1);
  EXPECT_DOUBLE_EQ(confusion.of(1).f1, 0);
}

TEST(Confusion, RefusesAClassThatThereIsNot) {
  Confusion confusion({"a", "b"});
  EXPECT_EQ(test::message_of<UsageError>([&] { confusion.add(0, 2); }),
            "confusion: classes 0 and 2; there are 0 to 1");
}

TEST(Confusion, IsATableForPeople) {
  Confusion confusion({"negative", "positive"});
  confusion.add(0, 0);
  confusion.add(0, 1);
  confusion.add(1, 1);
  EXPECT_EQ(confusion.text(),
            "true \\ found  negative  positive  precision  recall     F1\n"
            "negative             1         1      1.000   0.500  0.667\n"
            "positive             0         1      0.500   1.000  0.667\n");
}

TEST(RocAuc, IsTheChanceThatAPositiveScoresAboveANegative) {
  // Positives .9, .4; negatives .6, .4, .1: pairs won 3 + 1, tied 1 of 6.
  EXPECT_DOUBLE_EQ(roc_auc(std::vector{.9, .6, .4, .4, .1}, {true, false, true, false, false}),
                   (3 + 1 + .5) / 6);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector{.1, .2, .3}, {false, false, true}), 1);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector{.3, .2, .1}, {false, false, true}), 0);
  EXPECT_DOUBLE_EQ(roc_auc(std::vector{.5, .5}, {false, true}), .5);
}

TEST(RocAuc, HasNoValueWithoutBothKinds) {
  EXPECT_TRUE(std::isnan(roc_auc(std::vector{.5, .6}, {true, true})));
  EXPECT_TRUE(std::isnan(roc_auc(std::vector{.5, std::nan("")}, {true, false})));
}

TEST(RocAuc, OfSeveralClassesIsTheMeanOfEachAgainstTheRest) {
  // Class 0: .7 against .2, .5: 1. Class 1: .5 against .2, .3: 1. Class 2: .2 against .1, .3: .5.
  const std::vector<double> probabilities = {.7, .2, .1, .2, .5, .3, .5, .3, .2};
  EXPECT_DOUBLE_EQ(roc_auc_one_vs_rest(probabilities, std::vector<std::int32_t>{0, 1, 2}, 3),
                   2.5 / 3);
}

}  // namespace
}  // namespace heed::metrics
