// SPDX-License-Identifier: Apache-2.0
// Gates and what reads the words they keep against finite differences.
#include <gtest/gtest.h>

#include "heed/models/classifier_testing.h"
#include "heed/models/hard_kuma.h"

namespace heed::models {
namespace {

TEST(RationaleGradients, OfHardKumaAreSlopes) {
  Variable a = Variable::leaf(Tensor::of({5}, {.5, 1, 2, .8, 1.5}));
  Variable b = Variable::leaf(Tensor::of({5}, {.7, 1, 3, 1.2, .6}));
  const Tensor uniform = Tensor::of({5}, {.3, .5, .6, .4, .55});
  nn::Parameters shapes = {{"a", a}, {"b", b}};
  const Variable weights(Tensor::of({5}, {1, -2, .5, 3, 1}));
  testing::expect_slopes(
      shapes,
      [&] {
        return sum(hard_kuma({a, b}, uniform) * weights) + sum(square(chance_of_zero({a, b})));
      },
      1);
}

TEST(RationaleGradients, OfAGivenSelectionReachWordsThatAreLeftOut) {
  // A straight-through gate needs to know what a word would change if it were kept.
  Random random(2);
  ClassifierOptions options = testing::tiny_classifier();
  options.attention = "none";
  options.rationale = {.gate = "sparsemax", .hidden = 16};
  Classifier model(options, random);
  const Sequences text = testing::random_sequences({5, 7}, 20, random);
  Variable kept = Variable::leaf(Tensor::zeros({2, 7}));
  for (const std::int64_t place : {0, 1, 2, 7, 9, 10}) {
    kept.mutable_value().mutable_data()[place] = place == 9 ? Real(.4) : Real{1};
  }
  nn::Parameters parameters = {{"kept", kept}};
  testing::expect_slopes(
      parameters,
      [&] {
        const Selection selection{.kept = kept, .chances = kept, .words = Ids::of({2}, {4, 6})};
        return cross_entropy(model.judge_kept(text, selection)[0], Ids::of({2}, {0, 2}));
      },
      1);
  EXPECT_NE(kept.gradient().at({0, 3}), 0);
}

}  // namespace
}  // namespace heed::models
