// SPDX-License-Identifier: Apache-2.0
// Interventions on a whole model, and gradients of weights against finite differences.
#include "heed/insight/observe/interventions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/insight/observe/kept.h"
#include "heed/models/transformer.h"
#include "heed/tensor/testing.h"

namespace heed::insight {
namespace {

using attention::Observer;
using attention::Role;
using attention::Site;
using attention::Trace;
using heed::testing::expect_near;
using heed::testing::message_of;

bool is_cross(const Site& site) {
  return site.role == Role::cross;
}

struct Interventions : ::testing::Test {
  Random random{3};
  models::Transformer model{{.source_vocabulary = 9,
                             .target_vocabulary = 8,
                             .stack = {.width = 8, .heads = 2, .inner = 12, .dropout = 0},
                             .encoder_layers = 1,
                             .decoder_layers = 2},
                            random};
  models::Sequences source{Ids::of({2, 4}, {4, 5, 6, 1, 7, 1, 0, 0}), Ids::of({2}, {4, 2})};
  models::Sequences target{Ids::of({2, 3}, {4, 5, 1, 6, 7, 1}), Ids::of({2}, {3, 3})};

  Variable logits(Observer* watch) const {
    const models::Call call{.watch = watch};
    return model.decode(model.encode(source, call), target, call).logits;
  }
  Variable loss(Observer* watch) const {
    return cross_entropy(logits(watch), models::packed_targets(target));
  }
  // The weights of the cross attention of a layer.
  Tensor cross(Observer* intervention, int layer) const {
    Trace trace;
    attention::Observers both{intervention, &trace};
    logits(both.get());
    const auto found = std::ranges::find_if(trace.entries(), [&](const Trace::Entry& entry) {
      return is_cross(entry.site) && entry.site.layer == layer;
    });
    return found->weights;
  }
};

TEST_F(Interventions, UniformWeightsAreSharedByAllKeysThatAreSeen) {
  UniformWeights uniform(is_cross);
  const Tensor weights = cross(&uniform, 1);
  EXPECT_EQ(weights.at({0, 1, 2, 3}), Real(.25));
  EXPECT_EQ(weights.at({1, 0, 0, 1}), Real(.5));
  EXPECT_TRUE(attention::is_masked(weights.at({1, 0, 0, 2})));
  EXPECT_NE(logits(&uniform).value().values(), logits(nullptr).value().values());
}

TEST_F(Interventions, PermutedWeightsAreTheSameOnesElsewhere) {
  const auto first_layer = [](const Site& site) { return is_cross(site) && site.layer == 0; };
  PermutedWeights permuted(5, first_layer);
  const Tensor before = cross(nullptr, 0), after = cross(&permuted, 0);
  EXPECT_NE(after.values(), before.values());
  for (std::int64_t q = 0; q < 3; ++q) {
    std::vector<Real> a, b;
    for (std::int64_t k = 0; k < 4; ++k) {
      a.push_back(before.at({0, 1, q, k}));
      b.push_back(after.at({0, 1, q, k}));
    }
    std::ranges::sort(a);
    std::ranges::sort(b);
    EXPECT_EQ(a, b);
  }
  // The same seed deals the same again.
  EXPECT_EQ(logits(&permuted).value().values(), logits(&permuted).value().values());
}

TEST_F(Interventions, GivenWeightsThatAreTheModelsOwnChangeNothing) {
  Tensor own = cross(nullptr, 1).clone();
  for (std::int64_t i = 0; i < own.size(); ++i) {
    own.mutable_data()[i] = attention::share_of(own.data()[i]);
  }
  const Site site{.role = Role::cross,
                  .set = "cross",
                  .queries = "target",
                  .keys = "source",
                  .layer = 1,
                  .stepwise = true};
  GivenWeights given(site, own);
  Trace watched;  // runs the composition, as the intervention does
  expect_near(logits(&given).value(), logits(&watched).value(), 1e-6);

  own.mutable_data()[own.size() - 1] = 1;  // padding of the second sentence
  GivenWeights hidden(site, own);
  EXPECT_EQ(message_of([&] { logits(&hidden); }),
            "given weights: 1 for key 3 that the pattern of \"cross\" hides; give hidden keys 0");
  GivenWeights few(site, Tensor::zeros({2, 1, 3, 4}));
  EXPECT_THROW(logits(&few), UsageError);
  EXPECT_THROW(GivenWeights(site, Tensor::zeros({2, 3})), UsageError);
}

TEST_F(Interventions, ErasedHeadsReadNothing) {
  ErasedHeads erased({1}, is_cross);
  const Tensor weights = cross(&erased, 0), before = cross(nullptr, 0);
  for (std::int64_t k = 0; k < 4; ++k) {
    EXPECT_EQ(weights.at({0, 1, 0, k}), 0);
    EXPECT_EQ(weights.at({0, 0, 0, k}), before.at({0, 0, 0, k}));
  }
}

TEST_F(Interventions, FactorsOfHeadsHaveTheGradientOfTheLossAndEraseAtZero) {
  const Site site{.role = Role::cross,
                  .set = "cross",
                  .queries = "target",
                  .keys = "source",
                  .layer = 1,
                  .stepwise = true};
  const auto loss_with = [&](Real first, Real second) {
    HeadFactors factors({{site, Tensor::of({2, 2}, {1, first, 1, second})}});
    return loss(&factors).item();
  };
  const Variable ones = Variable::leaf(Tensor::full({2, 2}, 1));
  HeadFactors factors({{site, ones}});
  backward(loss(&factors));
  constexpr Real kStep = Real(.05);
  for (const std::int64_t row : {0, 1}) {
    const Real up = row == 0 ? loss_with(1 + kStep, 1) : loss_with(1, 1 + kStep);
    const Real down = row == 0 ? loss_with(1 - kStep, 1) : loss_with(1, 1 - kStep);
    const double slope = (up - down) / (2 * kStep);
    EXPECT_NEAR(ones.gradient().at({row, 1}), slope, 2e-3 + .02 * std::abs(slope)) << row;
  }
  ErasedHeads erased({1}, [&](const Site& one) { return one == site; });
  EXPECT_NEAR(loss_with(0, 0), loss(&erased).item(), 1e-6);
  HeadFactors few({{site, Tensor::of({2, 1}, {1, 1})}});
  EXPECT_EQ(message_of([&] { loss(&few); }),
            "factors of heads: [2,1] for 2 sequences and 2 heads of \"cross\"");
  EXPECT_THROW(HeadFactors({{site, Tensor::of({2}, {1, 1})}}), UsageError);
}

TEST_F(Interventions, GradientsOfWeightsForetellWhatAChangeOfThemDoes) {
  WeightGradients watched;
  backward(loss(&watched));
  const auto entry = std::ranges::find_if(
      watched.entries(), [](const auto& one) { return is_cross(one.site) && one.site.layer == 1; });
  ASSERT_NE(entry, watched.entries().end());
  Tensor weights = entry->weights.clone();
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    weights.mutable_data()[i] = attention::share_of(weights.data()[i]);
  }
  const auto loss_with = [&](std::int64_t place, Real change) {
    Tensor other = weights.clone();
    other.mutable_data()[place] += change;
    GivenWeights given(entry->site, other);
    return loss(&given).item();
  };
  for (const std::int64_t place : {0, 7, 13}) {
    constexpr Real kStep = Real(.05);
    const double slope = (loss_with(place, kStep) - loss_with(place, -kStep)) / (2 * kStep);
    EXPECT_NEAR(entry->gradient().data()[place], slope, 2e-3 + .02 * std::abs(slope)) << place;
  }
}

TEST_F(Interventions, StatesAreKeptLayerByLayerWithoutTouchingTheKernels) {
  KeptStates kept;
  EXPECT_EQ(logits(&kept).value().values(), logits(nullptr).value().values());
  std::vector<std::string> seen;
  for (const KeptStates::Entry& entry : kept.entries()) {
    seen.push_back(
        fmt::format("{} {} {}", entry.site.set, entry.site.layer, entry.states.shape().text()));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"encoder self 0 [2,4,8]", "decoder self 0 [2,3,8]",
                                            "decoder self 1 [2,3,8]"}));
}

TEST_F(Interventions, StatesThatAreReplacedChangeWhatFollows) {
  struct Silence final : Observer {
    bool wants_weights(const Site&) const override { return false; }
    bool wants_states() const override { return true; }
    Variable states(const Site& site, const Variable& x) override {
      return site.set == "encoder self" ? Variable(Tensor::zeros(x.shape())) : x;
    }
  } silence;
  EXPECT_NE(logits(&silence).value().values(), logits(nullptr).value().values());
}

}  // namespace
}  // namespace heed::insight
