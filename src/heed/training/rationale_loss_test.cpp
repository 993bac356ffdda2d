// SPDX-License-Identifier: Apache-2.0
// What kept words cost, and how a generator is held to a share of them.
#include "heed/training/rationale_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/base/warning.h"

namespace heed::training {
namespace {

using models::Selection;
using test::message_of;

// Texts of four and two words.
Selection selection(const std::vector<Real>& kept) {
  const Variable z = Variable::leaf(Tensor::of({2, 5}, kept));
  return {z, z, Ids::of({2}, {4, 2})};
}

TEST(RationaleLoss, RisesAfterTheBatchesThatWarmThePredictor) {
  RationaleLoss loss({.size = 1, .changes = 0, .rise = 2, .warm = 3});
  const Selection found = selection({1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_TRUE(loss.warms());
    EXPECT_EQ(loss(found).kept.value().at({0}), 0);
    loss.update_warm();
  }
  EXPECT_FALSE(loss.warms());
  loss.update(found);
  EXPECT_EQ(loss(found).kept.value().at({0}), 1);
  loss.update(found);
  EXPECT_EQ(loss(found).kept.value().at({0}), 2);
}

TEST(RationaleLoss, CountsWordsAndChangesOfWordsAlone) {
  const Selection found = selection({1, 0, 0, 1, 0,  //
                                     0, 1, 0, 0, 0});
  EXPECT_EQ(selection_changes(found).value().values(), (std::vector<Real>{2, 1}))
      << "the step from the last word to padding is none";
  EXPECT_DOUBLE_EQ(kept_share(found), 3. / 6);
  const RationaleLoss loss({.size = .5, .changes = .25, .rise = 0});
  const RationaleCost cost = loss(found);
  EXPECT_EQ(cost.kept.value().values(), (std::vector<Real>{1.5, .75}));
  EXPECT_FALSE(cost.expected.defined());
  backward(sum(cost.kept));
  EXPECT_EQ(found.kept.gradient().at({0, 1}), Real(.5) - Real(.25)) << "0 beside a 1 and a 0";
}

TEST(RationaleLoss, RisesFromNothing) {
  RationaleLoss loss({.size = 1, .changes = 0, .rise = 4});
  const Selection found = selection({1, 1, 0, 0, 0, 1, 0, 0, 0, 0});
  std::vector<Real> costs;
  for (int i = 0; i < 6; ++i) {
    costs.push_back(loss(found).kept.value().at({0}));
    loss.update(found);
  }
  EXPECT_EQ(costs, (std::vector<Real>{0, .5, 1, 1.5, 2, 2}));
}

TEST(RationaleLoss, PullsTheShareToItsTarget) {
  RationaleLoss loss({.size = 0, .changes = 0, .rise = 0, .rate = "0.25"});
  const Selection all = selection({1, 1, 1, 1, 0, 1, 1, 0, 0, 0});
  const RationaleCost cost = loss(all);
  EXPECT_NEAR(cost.expected.value().at({0}), .01 * .75, 1e-7);
  for (int i = 0; i < 300; ++i) loss.update(all);
  EXPECT_NEAR(loss.multiplier(), 2, 1e-6) << "no more than a loss of the classes is worth";
  const Selection none = selection({0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  for (int i = 0; i < 300; ++i) loss.update(none);
  EXPECT_LT(loss.multiplier(), .1);
  EXPECT_LT(loss(none).expected.value().at({0}), 0) << "keeping more is worth something";
}

TEST(RationaleLoss, IsComparedAtItsFull) {
  const Selection found = selection({1, 1, 0, 0, 0, 1, 0, 0, 0, 0});
  RationaleLoss loss({.size = 1, .changes = .5, .rise = 100});
  EXPECT_EQ(loss.full(found).values(), (std::vector<Real>{2.5, 1.5}));
  loss.update(found);
  EXPECT_EQ(loss.full(found).values(), (std::vector<Real>{2.5, 1.5}));
  const RationaleLoss aims({.size = 0, .changes = 0, .rate = "0.25"});
  EXPECT_EQ(aims.full(found).values(), (std::vector<Real>{.5, .5})) << "a quarter too many, twice";
}

TEST(RationaleLoss, WarnsOnceOfAllOrNothing) {
  const auto warnings = [](const std::vector<Real>& kept, int batches) {
    std::vector<std::string> heard;
    const WarningSink before =
        set_warning_sink([&](std::string_view text) { heard.emplace_back(text); });
    RationaleLoss loss({.rise = 0});
    for (int i = 0; i < batches; ++i) loss.update(selection(kept));
    set_warning_sink(before);
    return heard;
  };
  const std::vector<Real> all = {1, 1, 1, 1, 0, 1, 1, 0, 0, 0};
  EXPECT_EQ(warnings(all, 199).size(), 0u);
  ASSERT_EQ(warnings(all, 500).size(), 1u);
  EXPECT_NE(warnings(all, 500)[0].find("raise --rationale-size"), std::string::npos);
  ASSERT_EQ(warnings({0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 500).size(), 1u);
  EXPECT_TRUE(warnings({1, 0, 0, 0, 0, 1, 0, 0, 0, 0}, 500).empty());
}

TEST(RationaleLoss, IsKeptByCheckpoints) {
  const RationaleLossOptions options{.rise = 100, .rate = "0.2"};
  const Selection found = selection({1, 1, 0, 0, 0, 1, 0, 0, 0, 0});
  RationaleLoss one(options), other(options);
  Task first, second;
  one.join(first);
  other.join(second);
  EXPECT_TRUE(first.carried().empty()) << "a model without a rationale keeps nothing";
  for (int i = 0; i < 30; ++i) one.update(found);
  second.carry(first.carried());
  EXPECT_EQ(other.multiplier(), one.multiplier());
  EXPECT_EQ(other(found).kept.value().values(), one(found).kept.value().values());
  EXPECT_EQ(second.carried().begin()->second.values(), first.carried().begin()->second.values());
  EXPECT_THROW(second.carry({{"rationale.rate", Tensor::zeros({2})}}), DataError);
}

TEST(RationaleLoss, RefusesSharesThatAreNone) {
  for (const char* rate : {"0", "1", "-0.1", "1.5", "nan", "few"}) {
    EXPECT_THROW(RationaleLoss({.rate = rate}), Error) << rate;
  }
  EXPECT_NE(message_of<UsageError>([] {
              RationaleLoss({.rate = "0"});
            }).find("none and all are no rationale"),
            std::string::npos);
  EXPECT_EQ(RationaleLossOptions{}.target(), std::nullopt);
}

}  // namespace
}  // namespace heed::training
