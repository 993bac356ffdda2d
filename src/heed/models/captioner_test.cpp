// SPDX-License-Identifier: Apache-2.0
// Captioners: one step is the row of all, the gate, and the penalty by hand.
#include "heed/models/captioner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

CaptionerOptions small_captioner(const std::string& attention) {
  CaptionerOptions options{.vocabulary = 9, .attention = attention, .embedding = 4, .hidden = 6};
  options.encoder = {.height = 8, .width = 8, .channels = 3, .stages = {{4, 3, 2}, {5, 3, 1}}};
  return options;
}

void writes_step_by_step_what_it_writes_at_once(Carries carries) {
  for (const char* attention :
       {"additive(size=5)", "none", "continuous_grid(columns=4, centres=4, width=0.3)"}) {
    SCOPED_TRACE(attention);
    Random random(1);
    CaptionerOptions options = small_captioner(attention);
    options.carries = carries;
    const Captioner model(options, random);
    const ImageTensors images{wavy({2, 3, 8, 8})};
    const Sequences target{Ids::of({2, 3}, {5, 6, 3, 7, 3, 0}), Ids::of({2}, {3, 2})};
    const Encoded encoded = model.encode(images, {});
    const Decoded all = model.decoder().decode(encoded, target, {});
    EXPECT_EQ(all.logits.shape(), (Shape{5, 9}));
    DecoderState state = model.decoder().start(encoded);
    const Ids before = shifted(target.ids);
    for (std::int64_t t = 0; t < 3; ++t) {
      const Step step = model.decoder().step(
          encoded, state, Ids::of({2}, {before.at({0, t}), before.at({1, t})}), {});
      state = step.state;
      expect_near(step.logits.value().slice(0, 0, 1), all.logits.value().slice(0, t, t + 1), 1e-5);
    }
    EXPECT_EQ(all.weights.defined(), std::string(attention) != "none");
    if (!all.weights.defined()) continue;
    EXPECT_EQ(all.weights.shape(), (Shape{2, 3, 16}));
    EXPECT_EQ(all.gates.defined(), carries == Carries::read);
    if (!all.gates.defined()) continue;
    EXPECT_EQ(all.gates.shape(), (Shape{2, 3}));
    for (const Real gate : all.gates.value().values()) {
      EXPECT_GT(gate, 0);
      EXPECT_LT(gate, 1);
    }
  }
}

TEST(Captioner, WritesStepByStepWhatItWritesAtOnce) {
  writes_step_by_step_what_it_writes_at_once(Carries::read);
  writes_step_by_step_what_it_writes_at_once(Carries::place);
}

// The first look is at the first cell and the second at nothing, whatever the picture shows; turned
// round, its cells have the same mean. Then a second word knows of it what the first look told.
TEST(Captioner, CarriesWhereItLookedAndNotWhatItRead) {
  struct FirstCellThenNothing final : attention::Observer {
    Variable weights(const attention::ObservedWeights& observed) override {
      Tensor weights = Tensor::zeros(observed.weights.shape());
      if (first) weights.mutable_data()[0] = 1;
      first = false;
      return Variable(weights);
    }
    bool first = true;
  };
  for (const Carries carries : {Carries::read, Carries::place}) {
    Random random(1);
    CaptionerOptions options = small_captioner("additive(size=5)");
    options.encoder = {.height = 4, .width = 4, .channels = 3, .stages = {{5, 1, 1}}};
    options.carries = carries;
    const Captioner model(options, random);
    const Tensor picture = wavy({1, 3, 4, 4});
    Tensor turned = picture.clone();
    for (std::int64_t c = 0; c < 3; ++c) {
      Real* const plane = turned.mutable_data() + 16 * c;
      std::reverse(plane, plane + 16);
    }
    const auto second_word = [&](const Tensor& pixels) {
      FirstCellThenNothing observer;
      const Sequences target{Ids::of({1, 2}, {5, 3}), Ids::of({1}, {2})};
      return model.decoder()
          .decode(model.encode({pixels}, {}), target, {.watch = &observer})
          .logits.value()
          .slice(0, 1, 2)
          .packed();
    };
    const Tensor one = second_word(picture), other = second_word(turned);
    double apart = 0;
    for (std::int64_t i = 0; i < one.size(); ++i) {
      apart = std::max(apart, std::abs(static_cast<double>(one.data()[i] - other.data()[i])));
    }
    if (carries == Carries::read) {
      EXPECT_GT(apart, 1e-4);
    } else {
      EXPECT_LT(apart, 1e-6);
    }
  }
}

TEST(Captioner, WithoutAGateHasNone) {
  Random random(1);
  CaptionerOptions options = small_captioner("additive(size=5)");
  options.carries = Carries::read;
  options.gate = false;
  const Captioner model(options, random);
  const Sequences target{Ids::of({1, 2}, {5, 3}), Ids::of({1}, {2})};
  const Decoded all = model.decoder().decode(model.encode({wavy({1, 3, 8, 8})}, {}), target, {});
  EXPECT_FALSE(all.gates.defined());
  EXPECT_THROW(RecurrentDecoder(
                   {.vocabulary = 9, .source_width = 4, .attention = "none", .gate = true}, random),
               UsageError);
}

TEST(DoublyStochastic, IsTheSquareOfWhatWordsLeave) {
  // Two words and an end over two cells; the end does not count.
  const Variable weights = Variable::leaf(Tensor::of({1, 3, 2}, {1, 0, Real(.5), Real(.5), 0, 1}));
  const Ids lengths = Ids::of({1}, {3});
  EXPECT_NEAR(doubly_stochastic(weights, lengths).item(), .25 + .25, 1e-6);
  EXPECT_NEAR(doubly_stochastic(weights, lengths, 2).item(), .25 + 2.25, 1e-6);
  backward(doubly_stochastic(weights, lengths));
  expect_near(weights.gradient(), Tensor::of({1, 3, 2}, {1, -1, 1, -1, 0, 0}), 1e-6);
}

}  // namespace
}  // namespace heed::models
