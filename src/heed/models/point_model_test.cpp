// SPDX-License-Identifier: Apache-2.0
// What every model that points must hold: valid outputs only, the same numbers at once and step by
// step, and weights that are the output.
#include "heed/models/point_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/point_model_testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

using testing::largest_difference;
using testing::random_points;
using Named = std::pair<std::string, PointModelOptions>;

class EveryPointModel : public ::testing::TestWithParam<Named> {
 protected:
  std::unique_ptr<PointModel> made() { return make_point_model(GetParam().second, random_); }
  Tensor points(std::int64_t sets, std::int64_t count) {
    return random_points(sets, count, GetParam().second.features, random_);
  }
  Random random_{7};
};

TEST_P(EveryPointModel, GivesTheSameAtOnceStepByStepAndForASetAlone) {
  const NoGradient values_only;
  const auto model = made();
  const Tensor all = points(2, 4);
  const Ids choices = Ids::of({2, 4}, {3, 1, 2, 0, 4, 2, 0, 0});
  const Tensor whole =
      softmax(model->decode(model->read(Variable(all), {}), choices, {})).value().clone();
  const Encoded encoded = model->read(Variable(all), {});
  DecoderState state = model->start(encoded);
  Ids chosen = Ids::full({2}, 0);
  for (std::int64_t t = 0; t < 3; ++t) {
    Step step = model->step(encoded, state, chosen, {});
    const Tensor shares = softmax(step.logits).value();
    for (std::int64_t b = 0; b < 2; ++b) {
      EXPECT_LE(largest_difference(shares.select(0, b), whole.select(0, 4 * b + t)), 1e-6);
    }
    state = std::move(step.state);
    chosen = choices.select(1, t).packed();
  }
  const Tensor alone = softmax(model->decode(model->read(Variable(all.slice(0, 1, 2).packed()), {}),
                                             choices.slice(0, 1, 2).packed(), {}))
                           .value();
  EXPECT_LE(largest_difference(alone, whole.slice(0, 4, 8)), 1e-6);
}

// The probabilities of all valid outputs are counted up: they are all there is.
TEST_P(EveryPointModel, SpreadsItsProbabilityOverValidOutputsAlone) {
  const NoGradient values_only;
  const auto model = made();
  const Encoded encoded = model->read(Variable(points(1, 3)), {});
  int outputs = 0;
  double total = 0;
  const std::function<void(const DecoderState&, std::int32_t, double, int)> follow =
      [&](const DecoderState& state, std::int32_t last, double share, int length) {
        const Step step = model->step(encoded, state, Ids::full({1}, last), {});
        const Tensor shares = softmax(step.logits).value();
        for (std::int32_t choice = 0; choice <= 3; ++choice) {
          const double mine = share * static_cast<double>(shares.at({0, choice}));
          if (mine == 0) continue;
          if (choice != kEndChoice) {
            follow(step.state, choice, mine, length + 1);
            continue;
          }
          EXPECT_GE(length, 2);  // the least
          ++outputs;
          total += mine;
        }
      };
  follow(model->start(encoded), 0, 1, 0);
  EXPECT_EQ(outputs, 3 * 2 + 3 * 2 * 1);  // two of three in any order, or all
  EXPECT_NEAR(total, 1, 1e-5);
}

TEST_P(EveryPointModel, ShowsTheWeightsThatAreItsOutput) {
  const NoGradient values_only;
  const auto model = made();
  const Tensor all = points(1, 4);
  const Ids choices = Ids::of({1, 3}, {2, 4, 0});
  const Tensor plain =
      softmax(model->decode(model->read(Variable(all), {}), choices, {})).value().clone();
  attention::Trace trace;
  const Tensor watched = softmax(model->decode(model->read(Variable(all), {.watch = &trace}),
                                               choices, {.watch = &trace}))
                             .value();
  EXPECT_LE(largest_difference(plain, watched), 1e-6);
  int pointing = 0;
  for (const attention::Trace::Entry& entry : trace.entries()) {
    if (entry.site.role != attention::Role::pointing) continue;
    ++pointing;
    EXPECT_EQ(entry.weights.shape(), Shape({1, 1, 3, 5}));
    for (std::int64_t t = 0; t < 3; ++t) {
      for (std::int64_t key = 0; key < 5; ++key) {
        EXPECT_NEAR(attention::share_of(entry.weights.at({0, 0, t, key})), plain.at({t, key}),
                    1e-6);
      }
    }
    EXPECT_TRUE(attention::is_masked(entry.weights.at({0, 0, 0, 0})));  // no end yet
    EXPECT_TRUE(attention::is_masked(entry.weights.at({0, 0, 1, 2})));  // used
  }
  EXPECT_EQ(pointing, 1);
}

// Weights that an observer puts in their place are what the model points with.
TEST_P(EveryPointModel, PointsWithTheWeightsThatAnObserverGives) {
  struct ToTheLast final : attention::Observer {
    Variable weights(const attention::ObservedWeights& observed) override {
      if (observed.site.role != attention::Role::pointing) return observed.weights;
      Tensor others = Tensor::zeros(observed.weights.shape());
      const std::int64_t keys = others.size(3);
      for (std::int64_t i = keys - 1; i < others.size(); i += keys) others.mutable_data()[i] = 1;
      return Variable(others);
    }
  };
  const NoGradient values_only;
  const auto model = made();
  ToTheLast observer;
  const Tensor shares = softmax(model->decode(model->read(Variable(points(1, 4)), {}),
                                              Ids::of({1, 1}, {1}), {.watch = &observer}))
                            .value();
  EXPECT_NEAR(shares.at({0, 4}), 1, 1e-6);
}

TEST_P(EveryPointModel, RefusesPointsOfAnotherWidth) {
  const auto model = made();
  const std::int64_t features = GetParam().second.features;
  EXPECT_NE(test::message_of<UsageError>([&] {
              model->read(Variable(random_points(1, 3, features + 1, random_)), {});
            }).find(fmt::format("it takes [sets, points, {}]", features)),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, EveryPointModel, ::testing::ValuesIn(testing::point_models()),
                         [](const auto& info) { return info.param.first; });

TEST(AllowedChoices, HideWhatWasUsedAndTheEndUntilThereIsEnough) {
  const Tensor mask = allowed_choices(Ids::of({1, 5}, {2, 1, 3, 0, 0}), 4, 3);
  EXPECT_EQ(mask.reshape({5, 5}).text(), Tensor::of({5, 5}, {0, 1, 1, 1, 1,  //
                                                             0, 1, 0, 1, 1,  //
                                                             0, 0, 0, 1, 1,  //
                                                             1, 0, 0, 0, 1,  //
                                                             1, 0, 0, 0, 0})
                                             .text());
  const Tensor all = allowed_choices(Ids::of({1, 3}, {2, 1, 0}), 2, 0);
  EXPECT_EQ(all.reshape({3, 3}).text(), Tensor::of({3, 3}, {0, 1, 1, 0, 1, 0, 1, 0, 0}).text());
  const Tensor used = marked(marked(Tensor::zeros({1, 4}), Ids::of({1}, {2})), Ids::of({1}, {3}));
  EXPECT_EQ(allowed_next(used, 2, 3).reshape({4}).text(), Tensor::of({4}, {0, 1, 0, 0}).text());
  EXPECT_EQ(allowed_next(used, 2, 2).reshape({4}).text(), Tensor::of({4}, {1, 1, 0, 0}).text());
}

}  // namespace
}  // namespace heed::models
