// SPDX-License-Identifier: Apache-2.0
#include "heed/models/recurrent_language_model.h"

#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/models/language_testing.h"

namespace heed::models {
namespace {

RecurrentLanguageModelOptions small_model(const std::string& attention) {
  return {.vocabulary = 9,
          .embedding = 12,
          .hidden = 12,
          .layers = 2,
          .attention = attention,
          .span = 4};
}

TEST(RecurrentLanguageModel, GivesTheSameLogitsInBatchesPartsAndSteps) {
  for (const nn::Cell cell : {nn::Cell::tanh, nn::Cell::lstm, nn::Cell::gru}) {
    RecurrentLanguageModelOptions options = small_model("none");
    options.cell = cell;
    Random random(1);
    testing::expect_reads_agree(RecurrentLanguageModel(options, random), 11);
  }
}

TEST(RecurrentLanguageModel, AttendsTheSameWhereverATextIsCut) {
  for (const char* attention :
       {"scaled_dot", "additive | full | entmax(alpha=1.5)", "coverage", "2x(dot); 1x(dot)"}) {
    for (const Composition composition :
         {Composition::concat, Composition::sum, Composition::gate}) {
      RecurrentLanguageModelOptions options = small_model(attention);
      options.composition = composition;
      Random random(2);
      if (std::string(attention).starts_with("2x")) {
        EXPECT_THROW(RecurrentLanguageModel(options, random), UsageError);
        continue;
      }
      testing::expect_reads_agree(RecurrentLanguageModel(options, random), 11);
    }
  }
}

TEST(RecurrentLanguageModel, AGateThatIsOpenForTheStateIsShutForTheContext) {
  RecurrentLanguageModelOptions options = small_model("scaled_dot");
  options.composition = Composition::gate;
  Random random(2);
  RecurrentLanguageModel model(options, random);
  const Ids tokens = testing::random_tokens({1, 5}, 9, random);
  const auto set = [&](std::string_view name, Real value) {
    for (nn::Parameter& parameter : nn::parameters(model)) {
      Tensor& now = parameter.variable.mutable_value();
      if (parameter.name == name) now.assign(Tensor::full(now.shape(), value));
    }
  };
  const auto read = [&] { return model.read(model.start(1), tokens, {}).hidden.value(); };
  set("gate.weight", 0);
  for (const Real bias : {Real{40}, Real{-40}}) {  // for the state; for the context
    set("gate.bias", bias);
    set("context.weight", Real(.5));
    const Tensor with = read();
    set("context.weight", 0);
    const double change = testing::largest_difference(with, read());
    EXPECT_EQ(change > 1e-3, bias < 0) << bias << ": " << change;
  }
}

TEST(RecurrentLanguageModel, LooksAtTheLastStatesOfItsSpanAndNeverAhead) {
  Random random(3);
  const RecurrentLanguageModel model(small_model("scaled_dot"), random);
  testing::expect_no_look_ahead(model, 9);
  attention::Trace trace;
  const NoGradient no_graph;
  const Ids tokens = testing::random_tokens({1, 7}, 9, random);
  const Reading reading = model.read(model.start(1), tokens, {.watch = &trace});
  const Tensor& weights = trace.entries().front().weights;  // [1,1,7,8], key 0 before all tokens
  for (std::int64_t q = 0; q < 7; ++q) {
    for (std::int64_t k = 0; k < 8; ++k) {
      EXPECT_EQ(weights.at({0, 0, q, k}) > 0, k <= q && k > q - 4) << q << " " << k;
    }
  }
  EXPECT_EQ(reading.state.own.as<RecurrentTextState>().history.size(2), 4);
}

TEST(RecurrentLanguageModel, TiesItsOutputToTheEmbeddings) {
  Random random(4);
  RecurrentLanguageModelOptions options = small_model("none");
  RecurrentLanguageModel tied(options, random);
  options.tie = Tie::none;
  RecurrentLanguageModel apart(options, random);
  EXPECT_EQ(nn::parameter_count(nn::parameters(apart)) - nn::parameter_count(nn::parameters(tied)),
            9 * 12);
  options.tie = Tie::target;
  options.embedding = 8;
  testing::expect_reads_agree(RecurrentLanguageModel(options, random), 5);
}

TEST(RecurrentLanguageModel, DropsByTheNoiseItIsGivenAndNotWithout) {
  Random random(5);
  RecurrentLanguageModelOptions options = small_model("additive");
  options.dropout = Real(.5);
  options.locked_dropout = true;
  const RecurrentLanguageModel model(options, random);
  const NoGradient no_graph;
  const Ids tokens = testing::random_tokens({2, 6}, 9, random);
  const auto hidden = [&](nn::Noise noise) {
    return model.read(model.start(2), tokens, {.noise = noise}).hidden.value();
  };
  Random one(1), same(1), other(2);
  EXPECT_EQ(testing::largest_difference(hidden(&one), hidden(&same)), 0);
  EXPECT_GT(testing::largest_difference(hidden(&same), hidden(&other)), .1);
  // Locked: a feature that is dropped before the output is dropped at every step of its track.
  Random locked(3);
  const Tensor dropped = hidden(&locked);
  for (std::int64_t feature = 0; feature < 12; ++feature) {
    for (std::int64_t t = 1; t < 6; ++t) {
      EXPECT_EQ(dropped.at({0, t, feature}) == 0, dropped.at({0, 0, feature}) == 0);
    }
  }
}

TEST(RecurrentLanguageModel, GoesOnFromAStateThatWasKeptAsTensors) {
  for (const char* attention : {"none", "scaled_dot", "coverage"}) {
    Random random(7);
    const RecurrentLanguageModel model(small_model(attention), random);
    const NoGradient no_graph;
    const DecoderState state =
        model.read(model.start(2), testing::random_tokens({2, 6}, 9, random), {}).state;
    const Ids next = testing::random_tokens({2}, 9, random);
    EXPECT_EQ(testing::largest_difference(
                  model.step(state, next, {}).logits.value(),
                  model.step({0, model.start(2).own.restored(state.own.tensors())}, next, {})
                      .logits.value()),
              0);
  }
  Random random(7);
  EXPECT_THROW(RecurrentLanguageModel(small_model("none"), random).start(2).own.restored({}),
               DataError);
}

TEST(RecurrentLanguageModel, RefusesSizesAndTokensThatCannotBe) {
  Random random(6);
  RecurrentLanguageModelOptions options = small_model("additive");
  options.span = 0;
  EXPECT_THROW(RecurrentLanguageModel(options, random), UsageError);
  options.span = 4;
  options.layers = 0;
  EXPECT_THROW(RecurrentLanguageModel(options, random), UsageError);
  const RecurrentLanguageModel model(small_model("none"), random);
  EXPECT_THROW(model.read(model.start(1), Ids({1, 0}), {}), UsageError);
}

TEST(RecurrentLanguageModel, ShowsItsStatesAndGoesOnWithOthers) {
  struct Silence final : attention::Observer {
    bool wants_weights(const attention::Site&) const override { return false; }
    bool wants_states() const override { return true; }
    Variable states(const attention::Site& site, const Variable& x) override {
      set = site.set;
      shape = x.shape();
      return Tensor::zeros(x.shape());
    }
    std::string_view set;
    Shape shape;
  };
  for (const char* attention : {"none", "scaled_dot"}) {
    Random random(8);
    const RecurrentLanguageModel model(small_model(attention), random);
    const NoGradient no_graph;
    const Ids tokens = testing::random_tokens({2, 6}, 9, random);
    Silence silence;
    const Tensor changed = model.read(model.start(2), tokens, {.watch = &silence}).hidden.value();
    EXPECT_EQ(silence.set, "history");
    EXPECT_EQ(silence.shape.text(), Shape({2, 6, changed.size(2)}).text());
    EXPECT_NE(changed.values(), model.read(model.start(2), tokens, {}).hidden.value().values());
  }
}

}  // namespace
}  // namespace heed::models
