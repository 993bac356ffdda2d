// SPDX-License-Identifier: Apache-2.0
#include "heed/training/early_stopping.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

TEST(EarlyStopping, StopsAfterPatienceValidationsWithoutABetterOne) {
  EarlyStopping stopping({"perplexity", Better::lower}, 2);
  EXPECT_TRUE(stopping.observe(9.0, 10));
  EXPECT_TRUE(stopping.observe(7.0, 20));
  EXPECT_FALSE(stopping.observe(7.0, 30));  // equal is not better
  EXPECT_FALSE(stopping.stop());
  EXPECT_FALSE(stopping.observe(8.0, 40));
  EXPECT_TRUE(stopping.stop());
  EXPECT_EQ(stopping.state().best, 7.0);
  EXPECT_EQ(stopping.state().best_update, 20);
}

TEST(EarlyStopping, KnowsThatMoreBleuIsBetter) {
  EarlyStopping stopping({"bleu", Better::higher}, 2);
  EXPECT_TRUE(stopping.observe(20, 1));
  EXPECT_TRUE(stopping.observe(25, 2));
  EXPECT_FALSE(stopping.observe(25, 3));  // equal is not better
  EXPECT_FALSE(stopping.stop());
  EXPECT_FALSE(stopping.observe(24, 4));
  EXPECT_TRUE(stopping.stop());
  EXPECT_EQ(stopping.state().best_update, 2);
}

TEST(EarlyStopping, StartsWaitingAnewAfterABetterValidation) {
  EarlyStopping stopping({"loss", Better::lower}, 2);
  for (const double loss : {3.0, 4.0, 2.0, 4.0}) stopping.observe(loss, 1);
  EXPECT_EQ(stopping.state().stale, 1);
  EXPECT_FALSE(stopping.stop());
}

TEST(EarlyStopping, NeverStopsWithPatienceZero) {
  EarlyStopping stopping({"loss", Better::lower}, 0);
  stopping.observe(1, 1);
  for (int i = 0; i < 100; ++i) stopping.observe(2, i);
  EXPECT_FALSE(stopping.stop());
}

TEST(EarlyStopping, TakesWhatIsNotANumberForNoImprovement) {
  EarlyStopping stopping({"loss", Better::lower}, 1);
  EXPECT_FALSE(stopping.observe(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_FALSE(stopping.observe(std::numeric_limits<double>::infinity(), 1));
  EXPECT_FALSE(stopping.state().best.has_value());
  EXPECT_TRUE(stopping.stop());
}

TEST(EarlyStopping, AValidationOutOfTurnMayBeBestButLeavesTheWaitAsItWas) {
  EarlyStopping stopping({"loss", Better::lower}, 2);
  stopping.observe(4, 1);
  stopping.observe(5, 2);
  EXPECT_FALSE(stopping.consider(6, 3));
  EXPECT_TRUE(stopping.consider(2, 4));
  EXPECT_EQ(stopping.state().best_update, 4);
  EXPECT_EQ(stopping.state().stale, 1);
  EXPECT_FALSE(stopping.observe(3, 5));  // better than those in turn, not the best
  EXPECT_EQ(stopping.state().stale, 0);
  EXPECT_EQ(stopping.state().best, 2);
}

TEST(EarlyStopping, GoesOnFromItsSavedState) {
  EarlyStopping first({"loss", Better::lower}, 2);
  first.observe(1, 5);
  first.observe(2, 6);
  EarlyStopping second({"loss", Better::lower}, 2);
  second.restore(first.state());
  second.observe(1.5, 7);
  EXPECT_TRUE(second.stop());
}

TEST(EarlyStopping, NamesTheMetricsThereAre) {
  const std::array<MetricKind, 2> kinds = {{{"loss", Better::lower}, {"bleu", Better::higher}}};
  EXPECT_EQ(find_metric(kinds, "bleu").better, Better::higher);
  EXPECT_EQ(heed::test::message_of<UsageError>([&] { find_metric(kinds, "blue"); }),
            "--early-stopping is \"blue\": validation gives loss, bleu (did you mean \"bleu\"?)");
  EXPECT_EQ(heed::test::message_of<UsageError>([] { find_metric({}, "loss"); }),
            "--early-stopping is \"loss\": validation gives no metric");
  EXPECT_THROW(EarlyStopping({"loss", Better::lower}, -1), UsageError);
}

}  // namespace
}  // namespace heed::training
