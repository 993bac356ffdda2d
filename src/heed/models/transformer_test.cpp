// SPDX-License-Identifier: Apache-2.0
#include "heed/models/transformer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

TransformerOptions tiny_transformer() {
  return {.source_vocabulary = 13,
          .target_vocabulary = 11,
          .stack = {.width = 16, .heads = 4, .inner = 24, .dropout = 0},
          .encoder_layers = 2,
          .decoder_layers = 2};
}

struct TransformerExample {
  Random random{7};
  Sequences source = testing::random_sequences({5, 2, 7}, 13, random);
  Sequences target = testing::random_sequences({4, 6, 1}, 11, random);
};

TEST(Transformer, GivesLogitsForEveryTargetTokenWithoutPadding) {
  TransformerExample example;
  const Transformer model(tiny_transformer(), example.random);
  const Variable logits = model.decode(model.encode(example.source, {}), example.target, {}).logits;
  EXPECT_EQ(logits.shape(), Shape({4 + 6 + 1, 11}));
}

class EveryTransformer
    : public ::testing::TestWithParam<std::pair<const char*, TransformerOptions>> {};

std::vector<std::pair<const char*, TransformerOptions>> transformer_kinds() {
  std::vector<std::pair<const char*, TransformerOptions>> all;
  const auto add = [&](const char* name, auto change) {
    TransformerOptions options = tiny_transformer();
    change(options);
    all.emplace_back(name, options);
  };
  add("Plain", [](auto&) {});
  add("PostNorm", [](auto& o) { o.stack.norm = NormPlace::post; });
  add("LearnedPositions", [](auto& o) { o.stack.positions = Positions::learned; });
  add("RotaryPositions", [](auto& o) { o.stack.positions = Positions::rotary; });
  add("RelativePositions", [](auto& o) { o.stack.positions = Positions::relative; });
  add("NoPositions", [](auto& o) { o.stack.positions = Positions::none; });
  add("Untied", [](auto& o) { o.tie = Tie::none; });
  add("AllTied", [](auto& o) {
    o.tie = Tie::all;
    o.source_vocabulary = o.target_vocabulary = 13;
  });
  add("InputsTied", [](auto& o) {
    o.tie = Tie::inputs;
    o.source_vocabulary = o.target_vocabulary = 13;
  });
  add("GroupedHeads", [](auto& o) { o.stack.key_heads = 2; });
  add("MechanismPerHead", [](auto& o) {
    o.encoder_attention = "2x(scaled_dot); 2x(scaled_dot | window(1) | entmax(alpha=1.5))";
    o.decoder_attention = "scaled_dot + alibi";
    o.stack.cross_attention = "additive | full | sparsemax";
  });
  add("LooksBack", [](auto& o) {
    o.stack.cross_attention = "additive + coverage";
    o.decoder_attention = "scaled_dot + location_aware(width=3)";
  });
  return all;
}

TEST_P(EveryTransformer, GivesTheSameAloneInABatchAndStepByStep) {
  TransformerExample example;
  const Transformer model(GetParam().second, example.random);
  testing::expect_batches_and_steps_agree(model, example.source, example.target);
}

TEST_P(EveryTransformer, GoesOnWithReorderedRows) {
  TransformerExample example;
  const Transformer model(GetParam().second, example.random);
  testing::expect_rows_can_be_reordered(model, example.source);
}

TEST_P(EveryTransformer, TrainsEveryParameter) {
  TransformerExample example;
  Transformer model(GetParam().second, example.random);
  backward(testing::loss_of(model, example.source, example.target));
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    ASSERT_TRUE(parameter.variable.gradient().defined()) << parameter.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryTransformer, ::testing::ValuesIn(transformer_kinds()),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(Transformer, NeverSeesTheFutureWhateverItsDecoderIsToldToAttendTo) {
  TransformerExample example;
  TransformerOptions options = tiny_transformer();
  options.decoder_attention = "scaled_dot | full";
  const Transformer model(options, example.random);
  const Encoded encoded = model.encode(example.source, {});
  Sequences other{example.target.ids.clone(), example.target.lengths};
  other.ids.mutable_data()[1 * 6 + 3] = 5;  // the fourth token of the second target
  ASSERT_NE(example.target.ids.at({1, 3}), 5);
  const Tensor a = model.decode(encoded, example.target, {}).logits.value();
  const Tensor b = model.decode(encoded, other, {}).logits.value();
  // Rows 4 to 9 are the second target's; the token at 3 is read from row 4 + 4 on.
  EXPECT_EQ(testing::largest_difference(a.slice(0, 0, 8), b.slice(0, 0, 8)), 0);
  EXPECT_GT(testing::largest_difference(a.slice(0, 8, 9), b.slice(0, 8, 9)), 1e-4);
}

TEST(Transformer, LeavesEveryAttentionInATrace) {
  TransformerExample example;
  const Transformer model(tiny_transformer(), example.random);
  attention::Trace trace;
  model.decode(model.encode(example.source, {.watch = &trace}), example.target, {.watch = &trace});
  std::vector<std::string> sites;
  for (const auto& entry : trace.entries()) {
    sites.push_back(
        fmt::format("{} {} {}", entry.site.set, entry.site.layer, entry.weights.shape().text()));
  }
  EXPECT_EQ(sites, (std::vector<std::string>{"encoder self 0 [3,4,7,7]", "encoder self 1 [3,4,7,7]",
                                             "decoder self 0 [3,4,6,6]", "cross 0 [3,4,6,7]",
                                             "decoder self 1 [3,4,6,6]", "cross 1 [3,4,6,7]"}));
}

TEST(Transformer, DropsOnlyWhereNoiseIsGivenAndRepeatsItByTheSeed) {
  TransformerExample example;
  TransformerOptions options = tiny_transformer();
  options.stack.dropout = options.stack.attention_dropout = options.stack.inner_dropout = .3;
  for (const bool locked : {false, true}) {
    options.stack.locked_dropout = locked;
    Transformer model(options, example.random);
    const auto loss = [&](nn::Noise noise) {
      return testing::loss_of(model, example.source, example.target, {.noise = noise}).item();
    };
    Random first(1), again(1), other(2);
    const Real dropped = loss(&first);
    EXPECT_EQ(loss(nullptr), loss(nullptr));
    EXPECT_EQ(dropped, loss(&again));
    EXPECT_NE(dropped, loss(&other));
    EXPECT_NE(dropped, loss(nullptr));
  }
}

TEST(Transformer, SaysWhichOptionsDoNotFit) {
  Random random(1);
  const auto message = [&](auto change) -> std::string {
    TransformerOptions options = tiny_transformer();
    change(options);
    try {
      Transformer model(options, random);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message([](auto& o) { o.stack.heads = 3; }),
            "transformer: width 16 does not divide into 3 heads");
  EXPECT_NE(message([](auto& o) { o.tie = Tie::all; }).find("13 and 11 pieces"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.stack.cross_attention = "scaled_dott"; }).find("scaled_dot"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) {
              o.stack.heads = 16;
              o.stack.positions = Positions::rotary;
            }).find("pairs"),
            std::string::npos);
}

TEST(Transformer, RefusesSequencesLongerThanItsLearnedPositions) {
  TransformerExample example;
  TransformerOptions options = tiny_transformer();
  options.stack.positions = Positions::learned;
  options.stack.longest = 6;
  const Transformer model(options, example.random);
  EXPECT_EQ(model.longest(), 6);
  EXPECT_THROW(model.encode(example.source, {}), UsageError);
}

}  // namespace
}  // namespace heed::models
