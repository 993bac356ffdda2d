// SPDX-License-Identifier: Apache-2.0
// Memory across segments: where it reaches, what it does not depend on, and what learns by it.
#include "heed/models/transformer_xl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/attention/draws.h"
#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/models/gpt.h"
#include "heed/models/language_testing.h"
#include "heed/models/segment_attention.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using testing::largest_difference;

TransformerXlOptions small_xl(std::int64_t segment, std::int64_t memory, int layers = 1) {
  TransformerXlOptions options{.vocabulary = 9, .segment = segment, .memory = memory};
  options.tie = Tie::none;
  options.stack.width = 16;
  options.stack.heads = 2;
  options.stack.inner = 24;
  options.stack.layers = layers;
  options.stack.dropout = 0;
  return options;
}

TransformerXlOptions compressive(CompressionKind kind, std::int64_t slots = 3) {
  TransformerXlOptions options = small_xl(4, 5, 2);
  options.compression = kind;
  options.rate = 3;
  options.slots = slots;
  return options;
}

constexpr CompressionKind kCompressions[] = {CompressionKind::mean, CompressionKind::max,
                                             CompressionKind::convolution, CompressionKind::dilated,
                                             CompressionKind::most_used};

TEST(TransformerXl, GivesTheSameNumbersWhereverATextIsCut) {
  for (const Positions positions :
       {Positions::distances, Positions::relative, Positions::rotary, Positions::none}) {
    TransformerXlOptions options = small_xl(4, 6, 2);
    options.stack.positions = positions;
    Random random(1);
    const TransformerXl model(options, random);
    testing::expect_reads_agree(model, 23);
    testing::expect_no_look_ahead(model, 15);
  }
  for (const CompressionKind kind : kCompressions) {
    Random random(1);
    const TransformerXl model(compressive(kind), random);
    testing::expect_reads_agree(model, 29);
    testing::expect_no_look_ahead(model, 21);
  }
}

TEST(TransformerXl, ReadsInSegmentsWithEnoughMemoryWhatOnePassReads) {
  for (const int layers : {1, 2}) {
    Random random(2);
    TransformerXl parts(small_xl(4, 100, layers), random), whole(small_xl(100, 0, layers), random);
    nn::assign(nn::parameters(whole), nn::parameters(parts));
    const Ids tokens = testing::random_tokens({2, 30}, 9, random);
    EXPECT_LE(
        largest_difference(testing::logits_of(parts, tokens), testing::logits_of(whole, tokens)),
        1e-5);
  }
}

// The first of the positions [0,24) of a text whose token changes the last logits.
std::int64_t farthest_seen(const TransformerXl& model) {
  const NoGradient no_graph;
  Random random(5);
  const Ids tokens = testing::random_tokens({1, 24}, 9, random);
  const Tensor before = testing::logits_of(model, tokens).select(1, 23).clone();
  for (std::int64_t place = 0; place < 24; ++place) {
    Ids other = tokens.clone();
    std::int32_t& token = other.mutable_data()[place];
    token = (token + 1) % 9;
    const Tensor after = testing::logits_of(model, other).select(1, 23).clone();
    if (largest_difference(before, after) > 0) return place;
  }
  return 24;
}

TEST(TransformerXl, SeesTheMemoryOfEveryLayerBeforeItsSegment) {
  const auto seen = [](std::int64_t memory, int layers) {
    Random random(3);
    return farthest_seen(TransformerXl(small_xl(4, memory, layers), random));
  };
  EXPECT_EQ(seen(0, 2), 20) << "its own segment";
  EXPECT_EQ(seen(4, 1), 16);
  EXPECT_EQ(seen(4, 2), 12);
  EXPECT_EQ(seen(6, 1), 14);
  Random random(3);
  // 5 states of memory, of which one waits for its group, and two slots of three states.
  TransformerXlOptions options = compressive(CompressionKind::mean, 2);
  options.stack.layers = 1;
  EXPECT_EQ(farthest_seen(TransformerXl(options, random)), 9);
}

TEST(TransformerXl, RemembersAsMuchAsItIsAskedTo) {
  Random random(3);
  const TransformerXl model(small_xl(4, 4), random);
  const NoGradient no_graph;
  const Ids tokens = testing::random_tokens({1, 12}, 9, random);
  const auto memory = [&](std::int64_t states) {
    const Reading reading = model.read(model.start_remembering(1, states), tokens, {});
    const Variable& kept = TransformerXl::inside(reading.state).layers.front().memory;
    return kept.defined() ? kept.size(1) : 0;
  };
  EXPECT_EQ(memory(0), 0);
  EXPECT_EQ(memory(7), 7);
  EXPECT_EQ(memory(100), 12);
  EXPECT_THROW(memory(-1), UsageError);
  GptOptions gpt{.vocabulary = 9};
  EXPECT_THROW(Gpt(gpt, random).start_remembering(1, 4), UsageError);
}

TEST(TransformerXl, KeepsTheLastSlotsOfWhatLeavesItsMemory) {
  Random random(3);
  const TransformerXl model(compressive(CompressionKind::mean), random);
  const NoGradient no_graph;
  DecoderState state = model.start(2);
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;  // of memory and slots
  for (int i = 0; i < 6; ++i) {
    state = model.read(state, testing::random_tokens({2, 4}, 9, random), {}).state;
    const SegmentPast& layer = TransformerXl::inside(state).layers.back();
    sizes.emplace_back(layer.memory.size(1), layer.slots.defined() ? layer.slots.size(1) : 0);
  }
  // Three of what is over 5 leave at a time.
  EXPECT_EQ(sizes, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                       {4, 0}, {5, 1}, {6, 2}, {7, 3}, {5, 3}, {6, 3}}));
}

TEST(TransformerXl, LetsNoGradientThroughItsMemory) {
  Random random(4);
  TransformerXl model(small_xl(4, 4, 2), random);
  const Ids first = Ids::of({1, 4}, {1, 2, 1, 2}), second = Ids::of({1, 4}, {5, 6, 5, 6});
  const Reading before = model.read(model.start(1), first, {});
  const Reading after = model.read(before.state, second, {});
  backward(cross_entropy(reshape(model.logits(after.hidden), {4, 9}), Ids::of({4}, {6, 5, 6, 5})));
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    ASSERT_TRUE(parameter.variable.gradient().defined()) << parameter.name;
    if (parameter.name != "words.weight") continue;
    for (const std::int64_t token : {1, 2, 5, 6}) {
      double size = 0;
      for (std::int64_t d = 0; d < 16; ++d) {
        size += std::abs(static_cast<double>(parameter.variable.gradient().at({token, d})));
      }
      EXPECT_EQ(size > 0, token >= 5) << token;
    }
  }
}

TEST(TransformerXl, GoesOnFromTheTensorsOfItsStateToTheSameBits) {
  for (const CompressionKind kind : {CompressionKind::none, CompressionKind::convolution}) {
    Random random(4);
    const TransformerXl model(compressive(kind), random);
    const Ids tokens = testing::random_tokens({2, 21}, 9, random);
    const Ids more = testing::random_tokens({2, 6}, 9, random);
    const DecoderState state = model.read(model.start(2), tokens, {}).state.detached();
    const DecoderState again = {0, model.start(2).own.restored(state.own.tensors())};
    const auto logits = [&](const DecoderState& from) {
      return model.logits(model.read(from, more, {}).hidden).value();
    };
    EXPECT_EQ(largest_difference(logits(state), logits(again)), 0);
  }
}

TEST(TransformerXl, CompressionLearnsByWhatAttentionLosesAndByNothingElse) {
  for (const CompressionKind kind : {CompressionKind::convolution, CompressionKind::dilated}) {
    Random random(4);
    TransformerXl model(compressive(kind), random);
    const Ids tokens = testing::random_tokens({2, 24}, 9, random);
    const auto gradients = [&](const Variable& loss) {
      nn::clear_gradients(nn::parameters(model));
      backward(loss);
      std::map<bool, double> size;  // of the compression's and of all others
      for (const nn::Parameter& parameter : nn::parameters(model)) {
        const Tensor& gradient = parameter.variable.gradient();
        if (!gradient.defined()) continue;
        for (const Real x : gradient.values()) {
          size[parameter.name.starts_with("compression")] += std::abs(static_cast<double>(x));
        }
      }
      return size;
    };
    attention::Draws draws;
    const Reading reading = model.read(model.start(2), tokens, {.noise = &random, .watch = &draws});
    ASSERT_TRUE(draws.penalty().defined());
    std::map<bool, double> size = gradients(draws.penalty());
    EXPECT_GT(size[true], 0);
    EXPECT_EQ(size[false], 0);
    size = gradients(mean(model.logits(reading.hidden)));
    EXPECT_EQ(size[true], 0);
    EXPECT_GT(size[false], 0);
  }
}

TEST(TransformerXl, ALearntCompressionLosesLessAndLess) {
  Random random(6);
  TransformerXl model(compressive(CompressionKind::convolution), random);
  nn::Parameters compression;
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    if (parameter.name.starts_with("compression")) compression.push_back(parameter);
  }
  testing::Learner learner(compression);
  const auto lost = [&] {
    attention::Draws draws;
    const Ids tokens = testing::random_tokens({8, 20}, 9, random);
    model.read(model.start(8), tokens, {.noise = &random, .watch = &draws});
    return draws.penalty();
  };
  const double first = lost().item();
  for (int i = 0; i < 60; ++i) {
    const Variable loss = lost();
    backward(loss);
    learner.update(.01);
  }
  EXPECT_LT(lost().item(), .5 * first);
}

// What content attention reads of old states and of their slots, written out for one head.
TEST(SegmentAttention, LosesTheSquareOfWhatIsReadOtherwise) {
  Random random(7);
  TransformerStackOptions options = small_xl(4, 4).stack;
  options.heads = 1;
  options.width = 3;
  options.attention_bias = Biases::none;
  options.norm = NormPlace::post;
  const TransformerStack stack(options, random);
  const TransformerLayer& layer = stack.layers().front();
  const Tensor segment = heed::testing::wavy({1, 2, 3}), old = heed::testing::wavy({1, 4, 3}, 1),
               slots = heed::testing::wavy({1, 2, 3}, 2);
  std::map<std::string, Tensor> weights;
  for (const nn::Parameter& parameter : nn::parameters(*layer.self)) {
    weights[parameter.name] = parameter.variable.value();
  }
  const auto project = [&](const std::string& name, const Tensor& x, std::int64_t i,
                           std::int64_t d) {
    double sum = 0;
    for (std::int64_t e = 0; e < 3; ++e) {
      sum += weights.at(name + ".weight").at({d, e}) * x.at({0, i, e});
    }
    return sum;
  };
  std::vector<double> used(4);
  const auto read = [&](std::int64_t t, const Tensor& states, bool counts) {
    std::vector<double> weight;
    double total = 0;
    for (std::int64_t j = 0; j < states.size(1); ++j) {
      double score = 0;
      for (std::int64_t d = 0; d < 3; ++d) {
        score += project("W_Q", segment, t, d) * project("W_K", states, j, d);
      }
      weight.push_back(std::exp(score / std::sqrt(3.0)));
      total += weight.back();
    }
    std::vector<double> context(3);
    for (std::int64_t j = 0; j < states.size(1); ++j) {
      const double share = weight[static_cast<std::size_t>(j)] / total;
      if (counts) used[static_cast<std::size_t>(j)] += share / 2;
      for (std::int64_t d = 0; d < 3; ++d) {
        context[static_cast<std::size_t>(d)] += share * project("W_V", states, j, d);
      }
    }
    return context;
  };
  double expected = 0;
  for (std::int64_t t = 0; t < 2; ++t) {
    const std::vector<double> of_old = read(t, old, true), of_slots = read(t, slots, false);
    for (std::size_t d = 0; d < 3; ++d) {
      expected += (of_old[d] - of_slots[d]) * (of_old[d] - of_slots[d]) / 6;
    }
  }
  const SegmentAttention look(options, layer);
  EXPECT_NEAR(look.reconstruction_loss(segment, old, Variable(slots)).item(), expected, 1e-6);
  const Tensor usage = look.usage(segment, old);
  for (std::int64_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(usage.at({0, j}), used[static_cast<std::size_t>(j)], 1e-6);
  }
}

TEST(TransformerXl, ShowsTheWeightsOfTokensAndNotOfSlots) {
  Random random(4);
  const TransformerXl model(compressive(CompressionKind::mean), random);
  const NoGradient no_graph;
  attention::Trace trace;
  model.read(model.start(1), testing::random_tokens({1, 12}, 9, random), {.watch = &trace});
  ASSERT_EQ(trace.entries().size(), 6U);                 // two layers in each of three segments
  EXPECT_EQ(trace.entries()[2].weights.size(3), 4 + 4);  // memory and segment
  EXPECT_EQ(trace.entries()[4].weights.size(3), 5 + 4);  // and a slot
}

TEST(TransformerXl, RefusesPositionsOfATextThatEndsAndSizesThatCannotBe) {
  Random random(1);
  const auto refused = [&](TransformerXlOptions options) {
    try {
      const TransformerXl model(options, random);
      return std::string("taken");
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
  };
  TransformerXlOptions options = small_xl(4, 4);
  options.stack.positions = Positions::learned;
  EXPECT_EQ(refused(options),
            "transformer_xl: learned positions are those of one segment, and a memory would have "
            "them twice; give --positions distances, relative, rotary or none");
  EXPECT_NE(refused(small_xl(0, 4)), "taken");
  EXPECT_NE(refused(small_xl(4, -1)), "taken");
  EXPECT_NE(refused(compressive(CompressionKind::mean, 0)), "taken");
  EXPECT_EQ(refused(small_xl(4, 0)), "taken");
}

// Eight random letters and the same again, a segment each: only a memory foresees the second.
double loss_of_repeated(std::int64_t memory) {
  Random random(8);
  TransformerXlOptions options = small_xl(8, memory);
  options.stack.width = 32;
  TransformerXl model(options, random);
  testing::Learner learner(nn::parameters(model));
  double last = 0;
  constexpr int kUpdates = 150, kCounted = 10;
  for (int i = 0; i < kUpdates; ++i) {
    const Ids letters = testing::random_tokens({16, 8}, 9, random);
    const Reading first = model.read(model.start(16), letters, {});
    Ids next({16, 8});  // of the second time, each letter but the last
    for (std::int64_t j = 0; j < next.size(); ++j) {
      next.mutable_data()[j] = j % 8 == 7 ? -1 : letters.data()[j + 1];
    }
    const Reading second = model.read(first.state.detached(), letters, {});
    const Variable loss = cross_entropy(reshape(model.logits(second.hidden), {128, 9}),
                                        next.reshape({128}), {.ignored = -1});
    backward(loss);
    learner.update(.01);
    if (i >= kUpdates - kCounted) last += loss.item() / kCounted;
  }
  return last;
}

TEST(TransformerXl, ForeseesWhatOnlyAnEarlierSegmentTells) {
  EXPECT_GT(loss_of_repeated(0), .9 * std::log(9.0));
  EXPECT_LT(loss_of_repeated(8), .2 * std::log(9.0));
}

}  // namespace
}  // namespace heed::models
