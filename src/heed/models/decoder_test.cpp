// SPDX-License-Identifier: Apache-2.0
// Decoders over an encoder that they know nothing of: points of a plane, which are neither tokens
// nor in any order.
#include "heed/models/decoder.h"

#include <gtest/gtest.h>

#include <memory>

#include "heed/autograd/ops.h"
#include "heed/models/recurrent_decoder.h"
#include "heed/models/testing.h"
#include "heed/models/transformer_decoder.h"
#include "heed/nn/linear.h"
#include "heed/tensor/arithmetic.h"

namespace heed::models {
namespace {

struct Points {
  Tensor places;  // [B,S,2]
  Ids lengths;    // [B]
};

class PointEncoder final : public Encoder<Points> {
 public:
  PointEncoder(std::int64_t width, Random& random) : map_(2, width, random) {}
  void visit(nn::ParameterVisitor& visitor) override { visitor("map", map_); }
  std::int64_t width() const override { return map_.weight.size(0); }
  EncoderStates operator()(const Points& points, const Call&) const override {
    return {.states = map_(points.places, Activation::tanh), .lengths = points.lengths};
  }

 private:
  nn::Linear map_;
};

constexpr std::int64_t kWidth = 6, kVocabulary = 9;

std::vector<std::unique_ptr<Decoder>> decoders(Random& random) {
  std::vector<std::unique_ptr<Decoder>> all;
  all.push_back(std::make_unique<TransformerDecoder>(
      TransformerDecoderOptions{.vocabulary = kVocabulary,
                                .stack = {.width = 8,
                                          .heads = 2,
                                          .inner = 12,
                                          .layers = 2,
                                          .source_width = kWidth,
                                          .dropout = 0}},
      random));
  const RecurrentDecoderOptions recurrent{.vocabulary = kVocabulary,
                                          .source_width = kWidth,
                                          .cell = nn::Cell::gru,
                                          .embedding = 5,
                                          .hidden = 7};
  all.push_back(std::make_unique<RecurrentDecoder>(recurrent, random));
  RecurrentDecoderOptions luong = recurrent;
  luong.arrangement = Arrangement::luong;
  luong.input_feeding = true;
  luong.cell = nn::Cell::lstm;
  all.push_back(std::make_unique<RecurrentDecoder>(luong, random));
  RecurrentDecoderOptions fixed = recurrent;
  fixed.attention = "none";
  fixed.fixed = Fixed::every_step;
  all.push_back(std::make_unique<RecurrentDecoder>(fixed, random));
  return all;
}

// Three sets of points of different sizes.
Points example_points(Random& random) {
  Tensor places({3, 4, 2});
  for (std::int64_t i = 0; i < places.size(); ++i) {
    places.mutable_data()[i] = random.uniform<Real>();
  }
  return {places, Ids::of({3}, {4, 2, 3})};
}

Points row_of(const Points& points, std::int64_t row) {
  const std::int64_t length = points.lengths.at({row});
  return {points.places.slice(0, row, row + 1).slice(1, 0, length).packed(),
          Ids::of({1}, {static_cast<std::int32_t>(length)})};
}

TEST(Decoders, ReadWhatAnyEncoderLeaves) {
  Random random(5);
  const PointEncoder encoder(kWidth, random);
  const Points points = example_points(random);
  const Sequences target = testing::random_sequences({3, 5, 4}, kVocabulary, random);
  const NoGradient values_only;
  for (const auto& decoder : decoders(random)) {
    const Tensor batched =
        decoder->decode(decoder->read(encoder(points, {})), target, {}).logits.value();
    std::int64_t first = 0;
    for (std::int64_t b = 0; b < 3; ++b) {
      const Encoded alone = decoder->read(encoder(row_of(points, b), {}));
      const Sequences mine = testing::row_of(target, b);
      const Ids before = shifted(mine.ids);
      DecoderState state = decoder->start(alone);
      for (std::int64_t t = 0; t < mine.ids.size(1); ++t, ++first) {
        Step step = decoder->step(alone, state, Ids::of({1}, {before.at({0, t})}), {});
        EXPECT_LE(
            testing::largest_difference(step.logits.value(), batched.slice(0, first, first + 1)),
            1e-5)
            << "points " << b << ", step " << t;
        state = std::move(step.state);
      }
    }
  }
}

// Plain gradient descent, so that the encoder's own weights must learn as well.
TEST(Decoders, LearnWithAnEncoderOfPoints) {
  Random random(6);
  for (const auto& decoder : decoders(random)) {
    PointEncoder encoder(kWidth, random);
    nn::Parameters parameters = nn::parameters(encoder);
    for (nn::Parameter& parameter : nn::parameters(*decoder)) parameters.push_back(parameter);
    // The first point says which word is wanted: 4 on the left, 5 on the right.
    const auto loss = [&] {
      Points points = example_points(random);
      Ids words({3, 2});
      for (std::int64_t b = 0; b < 3; ++b) {
        const bool right = random.integer(2) == 1;
        for (std::int64_t s = 0; s < 4; ++s) {
          points.places.mutable_data()[(b * 4 + s) * 2] = right ? Real{1} : Real{-1};
        }
        words.mutable_data()[b * 2] = right ? 5 : 4;
        words.mutable_data()[b * 2 + 1] = text::kEnd;
      }
      const Sequences target{words, Ids::of({3}, {2, 2, 2})};
      return cross_entropy(decoder->decode(decoder->read(encoder(points, {})), target, {}).logits,
                           packed_targets(target));
    };
    double last = 0;
    for (int update = 0; update < 300; ++update) {
      const Variable now = loss();
      last = now.item();
      backward(now);
      for (nn::Parameter& parameter : parameters) {
        Tensor& value = parameter.variable.mutable_value();
        value.assign(value - parameter.variable.gradient() * Real(.2));
        parameter.variable.clear_gradient();
      }
    }
    EXPECT_LT(last, .1);
  }
}

TEST(Decoders, RefuseStatesOfAnotherWidthAndSourcesOfOthers) {
  Random random(7);
  const PointEncoder narrow(kWidth - 1, random);
  const auto all = decoders(random);
  for (const auto& decoder : all) {
    EXPECT_THROW(decoder->read(narrow(example_points(random), {})), UsageError);
  }
  const PointEncoder encoder(kWidth, random);
  const Encoded of_first = all[0]->read(encoder(example_points(random), {}));
  EXPECT_THROW(all[1]->start(of_first), UsageError);
  EXPECT_THROW(
      RecurrentDecoder({.vocabulary = 3, .source_width = 5, .source_directions = 2}, random),
      UsageError);
}

}  // namespace
}  // namespace heed::models
