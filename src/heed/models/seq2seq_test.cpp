// SPDX-License-Identifier: Apache-2.0
// Tests of the recurrent encoder-decoder: its laws in every arrangement, its options, its learning.
#include "heed/models/seq2seq.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/trace.h"
#include "heed/attention/written/catalogue.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

Seq2SeqOptions tiny_seq2seq() {
  return {.source_vocabulary = 13, .target_vocabulary = 11, .embedding = 6, .hidden = 8};
}

struct Seq2SeqExample {
  Random random{7};
  Sequences source = testing::random_sequences({5, 2, 7}, 13, random);
  Sequences target = testing::random_sequences({4, 6, 1}, 11, random);
};

TEST(Seq2Seq, GivesLogitsForEveryTargetTokenWithoutPadding) {
  Seq2SeqExample example;
  const Seq2Seq model(tiny_seq2seq(), example.random);
  const Variable logits = model.decode(model.encode(example.source, {}), example.target, {}).logits;
  EXPECT_EQ(logits.shape(), Shape({4 + 6 + 1, 11}));
}

// The states of the decoder, all pieces of a call joined to [B,T,H]; others in their place on
// request.
struct DecoderStates final : attention::Observer {
  bool wants_weights(const attention::Site&) const override { return false; }
  bool wants_states() const override { return true; }
  Variable states(const attention::Site& site, const Variable& x) override {
    if (site.set != "decoder") return x;
    EXPECT_EQ(site.queries, "target");
    EXPECT_EQ(site.layer, 1);
    pieces.push_back(x);
    return silent ? Variable(Tensor::zeros(x.shape())) : x;
  }
  Tensor joined() const { return concat(pieces, 1).value(); }

  bool silent = false;
  Variables pieces;
};

TEST(Seq2Seq, ShowsTheStatesOfItsDecoderStepByStepAndTeacherForced) {
  const NoGradient no_graph;
  struct Way {
    const char* attention;
    Arrangement arrangement;
    bool input_feeding;
  };
  for (const Way& way :
       {Way{"additive", Arrangement::bahdanau, false}, Way{"bilinear", Arrangement::luong, false},
        Way{"bilinear", Arrangement::luong, true}, Way{"none", Arrangement::bahdanau, false}}) {
    SCOPED_TRACE(fmt::format("{} {}", way.attention, way.input_feeding));
    Seq2SeqExample example;
    Seq2SeqOptions options = tiny_seq2seq();
    options.decoder_layers = 2;
    options.attention = way.attention;
    options.arrangement = way.arrangement;
    options.input_feeding = way.input_feeding;
    const Seq2Seq model(options, example.random);
    const Sequences target = testing::row_of(example.target, 1);  // 6 tokens
    const Encoded encoded = model.encode(testing::row_of(example.source, 1), {});
    DecoderStates forced, stepped, silenced;
    const Tensor logits = model.decode(encoded, target, {.watch = &forced}).logits.value();
    EXPECT_EQ(logits.values(), model.decode(encoded, target, {}).logits.value().values());
    ASSERT_FALSE(forced.pieces.empty());
    EXPECT_EQ(forced.joined().shape(), Shape({1, 6, 8}));

    DecoderState state = model.start(encoded);
    const Ids before = shifted(target.ids);
    for (std::int64_t t = 0; t < 6; ++t) {
      const Ids token = Ids::of({1}, {before.at({0, t})});
      state = model.step(encoded, state, token, {.watch = &stepped}).state;
      ASSERT_EQ(stepped.pieces.size(), static_cast<std::size_t>(t + 1));
      // What was shown is what the decoder computed.
      const Tensor own = state.own.as<RecurrentDecoderState>().recurrent.back().h.value();
      EXPECT_EQ(stepped.pieces.back().value().values(), own.values());
    }
    EXPECT_LE(testing::largest_difference(forced.joined(), stepped.joined()), 1e-6);

    silenced.silent = true;
    const Tensor changed = model.decode(encoded, target, {.watch = &silenced}).logits.value();
    EXPECT_GT(testing::largest_difference(changed, logits), 1e-3);
  }
}

TEST(Seq2Seq, LocksAMaskOfItsOwnForEachLayer) {
  Seq2SeqExample example;
  Seq2SeqOptions options = tiny_seq2seq();
  options.decoder_layers = 3;
  options.dropout = Real(.5);
  options.locked_dropout = true;
  Seq2Seq model(options, example.random);
  const Sequences source = testing::row_of(example.source, 0);
  const Sequences target = testing::row_of(example.target, 0);
  Random noise(1);
  const Call call{.noise = &noise};
  backward(cross_entropy(model.decode(model.encode(source, call), target, call).logits,
                         packed_targets(target)));
  // What a layer never read has no gradient.
  const auto unread = [&](const std::string& name) {
    std::vector<bool> none;
    for (const nn::Parameter& parameter : nn::parameters(model)) {
      if (parameter.name != name) continue;
      const Tensor sums = sum(absolute(Variable(parameter.variable.gradient())), 0).value();
      for (const Real value : sums.values()) none.push_back(value == 0);
    }
    return none;
  };
  const std::vector<bool> second = unread("decoder.layers.1.w_x");
  const std::vector<bool> third = unread("decoder.layers.2.w_x");
  ASSERT_EQ(second.size(), 8u);
  EXPECT_GT(std::ranges::count(second, true), 0);
  EXPECT_GT(std::ranges::count(third, true), 0);
  EXPECT_NE(second, third);
}

using Kind = std::pair<const char*, Seq2SeqOptions>;

std::vector<Kind> seq2seq_kinds() {
  std::vector<Kind> all;
  const auto add = [&](const char* name, auto change) {
    Seq2SeqOptions options = tiny_seq2seq();
    change(options);
    all.emplace_back(name, options);
  };
  const auto luong = [](Seq2SeqOptions& o) { o.arrangement = Arrangement::luong; };
  add("Bahdanau", [](auto&) {});
  add("BahdanauOfGru", [](auto& o) { o.cell = nn::Cell::gru; });
  add("BahdanauOfTwoLayers", [](auto& o) { o.encoder_layers = o.decoder_layers = 2; });
  add("BahdanauOfOneDirection", [](auto& o) { o.bidirectional = false; });
  add("Luong", luong);
  add("LuongOfTwoGruLayers", [&](auto& o) {
    luong(o);
    o.cell = nn::Cell::gru;
    o.bidirectional = false;
    o.encoder_layers = o.decoder_layers = 2;
    o.attention = "dot";
  });
  add("LuongWithInputFeeding", [&](auto& o) {
    luong(o);
    o.input_feeding = true;
    o.attention = "bilinear";
  });
  add("LuongOfTanhCellsWithInputFeeding", [&](auto& o) {
    luong(o);
    o.input_feeding = true;
    o.cell = nn::Cell::tanh;
    o.decoder_layers = 3;
  });
  add("LocalM", [&](auto& o) {
    luong(o);
    o.attention = "bilinear | local_m(half-width=1)";
  });
  add("LocalP", [&](auto& o) {
    luong(o);
    o.input_feeding = true;
    o.attention = "bilinear + gaussian(width=2) | local_p(half-width=2)";
  });
  add("Coverage", [](auto& o) { o.attention = "coverage(size=5)"; });
  add("CoverageAfterTheStep", [&](auto& o) {
    luong(o);
    o.attention = "coverage(size=5)";
  });
  add("AlignmentRnn", [](auto& o) { o.attention = "alignment_rnn(size=5, hidden=3)"; });
  add("SparseWeights", [](auto& o) { o.attention = "additive | full | entmax(alpha=1.5)"; });
  add("Mixture", [&](auto& o) {
    luong(o);
    o.mixture = true;
  });
  add("MixtureOfFewKeysWithInputFeeding", [&](auto& o) {
    luong(o);
    o.mixture = o.input_feeding = true;
    o.attention = "additive | full | sparsemax";
  });
  add("NoAttention", [](auto& o) { o.attention = "none"; });
  add("NoAttentionOfTwoReluLayers", [](auto& o) {
    o.attention = "none";
    o.cell = nn::Cell::relu;
    o.decoder_layers = 2;
  });
  add("AVectorAtEveryStep", [](auto& o) {
    o.attention = "none";
    o.fixed = Fixed::every_step;
    o.cell = nn::Cell::gru;
  });
  add("TiedTarget", [](auto& o) { o.tie = Tie::target; });
  add("AllTied", [](auto& o) {
    o.tie = Tie::all;
    o.source_vocabulary = o.target_vocabulary = 13;
    o.embedding = o.hidden;
  });
  add("HalvedDirections", [&](auto& o) {
    luong(o);
    o.encoder_hidden = 4;
    o.attention = "dot";
  });
  return all;
}

class EverySeq2Seq : public ::testing::TestWithParam<Kind> {};

TEST_P(EverySeq2Seq, GivesTheSameAloneInABatchAndStepByStep) {
  Seq2SeqExample example;
  const Seq2Seq model(GetParam().second, example.random);
  testing::expect_batches_and_steps_agree(model, example.source, example.target);
}

TEST_P(EverySeq2Seq, GoesOnWithReorderedRows) {
  Seq2SeqExample example;
  const Seq2Seq model(GetParam().second, example.random);
  testing::expect_rows_can_be_reordered(model, example.source);
}

TEST_P(EverySeq2Seq, MovesEveryParameter) {
  Seq2SeqExample example;
  Seq2Seq model(GetParam().second, example.random);
  backward(testing::loss_of(model, example.source, example.target));
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    ASSERT_TRUE(parameter.variable.gradient().defined()) << parameter.name;
    const auto slopes = parameter.variable.gradient().values();
    EXPECT_TRUE(std::ranges::any_of(slopes, [](Real g) { return g != 0; })) << parameter.name;
    EXPECT_TRUE(std::ranges::all_of(slopes, [](Real g) { return std::isfinite(g); }))
        << parameter.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySeq2Seq, ::testing::ValuesIn(seq2seq_kinds()),
                         [](const auto& info) { return info.param.first; });

// A score of the catalogue with options that fit a model of this size.
std::string fitting(const std::string& score) {
  if (score == "location") return "location(length=8)";
  if (score == "location_aware") return "location_aware(width=3, channels=2, size=5)";
  return score;
}

TEST(Seq2Seq, RunsEveryScoreAndEveryNormaliserOfTheCatalogue) {
  Seq2SeqExample example;
  const auto run = [&](const std::string& attention) {
    SCOPED_TRACE(attention);
    Seq2SeqOptions options = tiny_seq2seq();
    options.encoder_hidden = 4;  // keys as wide as queries
    options.attention = attention;
    Seq2Seq model(options, example.random);
    const Variable loss = testing::loss_of(model, example.source, example.target);
    EXPECT_TRUE(std::isfinite(loss.item()));
    backward(loss);
    for (const nn::Parameter& parameter : nn::parameters(model)) {
      for (const Real slope : parameter.variable.gradient().values()) {
        ASSERT_TRUE(std::isfinite(slope)) << parameter.name;
      }
    }
  };
  for (const auto& entry : attention::Catalogue<attention::Score>::entries()) {
    run(fitting(entry.card.name));
  }
  for (const auto& entry : attention::Catalogue<attention::Normaliser>::entries()) {
    if (attention::weighs_matrices(*entry.make())) continue;  // it would need all queries at once
    run("scaled_dot | full | " + entry.card.name);
  }
}

TEST(Seq2Seq, DropsWithNoiseOnlyAndRepeatsItsMasks) {
  Seq2SeqExample example;
  Seq2SeqOptions options = tiny_seq2seq();
  options.decoder_layers = options.encoder_layers = 2;
  options.dropout = options.attention_dropout = Real(.3);
  for (const bool locked : {false, true}) {
    options.locked_dropout = locked;
    const Seq2Seq model(options, example.random);
    const auto logits = [&](std::optional<std::uint64_t> seed) {
      Random noise(seed.value_or(0));
      const Call call{.noise = seed ? &noise : nullptr};
      return model.decode(model.encode(example.source, call), example.target, call).logits.value();
    };
    EXPECT_EQ(logits(1).values(), logits(1).values());
    EXPECT_GT(testing::largest_difference(logits(1), logits(2)), 1e-3);
    EXPECT_GT(testing::largest_difference(logits(1), logits({})), 1e-3);
    testing::expect_batches_and_steps_agree(model, example.source, example.target);
  }
}

TEST(Seq2Seq, LeavesATraceOfEveryStep) {
  Seq2SeqExample example;
  const Seq2Seq model(tiny_seq2seq(), example.random);
  attention::Trace trace;
  model.decode(model.encode(example.source, {}), example.target, {.watch = &trace});
  ASSERT_EQ(trace.entries().size(), 6u);
  EXPECT_EQ(trace.entries()[5].site.set, "cross");
  EXPECT_EQ(trace.entries()[5].step, 5);
  const Tensor& weights = trace.entries()[5].weights;
  ASSERT_EQ(weights.shape(), Shape({3, 1, 1, 7}));
  EXPECT_TRUE(attention::is_masked(weights.at({1, 0, 0, 2})));  // the second source has two tokens
  EXPECT_NEAR(weights.at({1, 0, 0, 0}) + weights.at({1, 0, 0, 1}), 1, 1e-6);
}

TEST(Seq2Seq, MixesOfOneKeyWhatItForeseesFromItsValue) {
  // Where one key has all the weight, its value is the mean.
  Seq2SeqExample example;
  Seq2SeqOptions options = tiny_seq2seq();
  options.arrangement = Arrangement::luong;
  options.attention = "additive | full | argmax";
  Random first(3), second(3);
  const Seq2Seq soft(options, first);
  options.mixture = true;
  const Seq2Seq mixed(options, second);
  const auto logits = [&](const Seq2Seq& model) {
    return log_softmax(model.decode(model.encode(example.source, {}), example.target, {}).logits);
  };
  EXPECT_LE(testing::largest_difference(logits(soft).value(), logits(mixed).value()), 1e-5);
}

TEST(Seq2Seq, SaysWhatWouldBeRightForOptionsThatDoNotFit) {
  const auto message = [](auto change) -> std::string {
    Seq2SeqOptions options = tiny_seq2seq();
    change(options);
    Random random(1);
    try {
      const Seq2Seq model(options, random);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([](auto& o) { o.target_vocabulary = 0; }).find("take 1 or more"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) { o.decoder_layers = 0; }).find("1 + 0 layers"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.dropout = 1; }).find("less than 1"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.input_feeding = true; }).find("choose luong"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) { o.mixture = true; }).find("in the luong arrangement"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) { o.tie = Tie::all; }).find("share one vocabulary"),
            std::string::npos);
  EXPECT_NE(message([](auto& o) { o.attention = "dot"; }).find("dot"), std::string::npos);
  EXPECT_NE(message([](auto& o) { o.attention = "addditive"; }).find("additive"),
            std::string::npos);
  EXPECT_EQ(message([](auto&) {}), "");
}

TEST(Seq2Seq, RefusesSequencesWhoseLengthsDoNotFit) {
  Seq2SeqExample example;
  const Seq2Seq model(tiny_seq2seq(), example.random);
  Sequences source = example.source;
  source.lengths = Ids::of({3}, {5, 0, 7});
  EXPECT_THROW(model.encode(source, {}), UsageError);
}

// Pairs of a sequence and its reverse.
std::pair<Sequences, Sequences> reversed_batch(int batch, Random& random) {
  std::vector<text::Tokens> sources, targets;
  for (int i = 0; i < batch; ++i) {
    text::Tokens pieces(3 + random.integer(4));
    for (text::Token& piece : pieces) {
      piece = text::kFirstPiece + static_cast<text::Token>(random.integer(8));
    }
    sources.push_back(pieces);
    std::ranges::reverse(pieces);
    targets.push_back(pieces);
    sources.back().push_back(text::kEnd);
    targets.back().push_back(text::kEnd);
  }
  return {sequences(text::pad_rows(sources)), sequences(text::pad_rows(targets))};
}

double accuracy(const Seq2Seq& model, const Sequences& source, const Sequences& target) {
  const NoGradient no_graph;
  const Tensor logits = model.decode(model.encode(source, {}), target, {}).logits.value();
  const Ids wanted = packed_targets(target);
  int right = 0;
  for (std::int64_t i = 0; i < wanted.size(); ++i) {
    const auto row = logits.slice(0, i, i + 1).values();
    right += std::ranges::max_element(row) - row.begin() == wanted.at({i}) ? 1 : 0;
  }
  return right / static_cast<double>(wanted.size());
}

TEST(Seq2Seq, LearnsToReverseWithAttentionInAFewHundredUpdates) {
  const ThreadScope one(1);  // products this small do not pay for a second
  for (const Arrangement arrangement : {Arrangement::bahdanau, Arrangement::luong}) {
    Random random(3);
    Seq2Seq model({.source_vocabulary = 12,
                   .target_vocabulary = 12,
                   .embedding = 24,
                   .hidden = 48,
                   .attention = "additive(size=32)",
                   .arrangement = arrangement,
                   .input_feeding = arrangement == Arrangement::luong},
                  random);
    testing::Learner adam(nn::parameters(model));
    for (int update = 0; update < 300; ++update) {
      const auto [source, target] = reversed_batch(32, random);
      backward(testing::loss_of(model, source, target));
      adam.update(5e-3);
    }
    const auto [source, target] = reversed_batch(200, random);
    EXPECT_GT(accuracy(model, source, target), .95) << static_cast<int>(arrangement);
  }
}

}  // namespace
}  // namespace heed::models
