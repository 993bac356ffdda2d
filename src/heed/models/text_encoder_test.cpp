// SPDX-License-Identifier: Apache-2.0
// Encoders of texts: what they are made of, and that padding changes nothing.
#include "heed/models/text_encoder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/testing.h"
#include "heed/models/word_observer.h"

namespace heed::models {
namespace {

TextEncoderOptions tiny_encoder(TextEncoderKind kind) {
  return {.vocabulary = 20,
          .kind = kind,
          .embedding = 6,
          .hidden = 8,
          .stack = {.width = 8, .heads = 2, .inner = 12, .layers = 2, .dropout = 0}};
}

std::vector<std::pair<const char*, TextEncoderOptions>> encoder_kinds() {
  std::vector<std::pair<const char*, TextEncoderOptions>> all = {
      {"Bag", tiny_encoder(TextEncoderKind::bag)},
      {"Cnn", tiny_encoder(TextEncoderKind::cnn)},
      {"Rnn", tiny_encoder(TextEncoderKind::rnn)},
      {"Transformer", tiny_encoder(TextEncoderKind::transformer)}};
  TextEncoderOptions dilated = tiny_encoder(TextEncoderKind::cnn);
  dilated.widths = {3};
  dilated.layers = 3;
  dilated.dilated = true;
  all.emplace_back("DilatedCnn", dilated);
  TextEncoderOptions gru = tiny_encoder(TextEncoderKind::rnn);
  gru.cell = nn::Cell::gru;
  gru.bidirectional = false;
  gru.layers = 2;
  all.emplace_back("ForwardGru", gru);
  return all;
}

class EveryTextEncoder
    : public ::testing::TestWithParam<std::pair<const char*, TextEncoderOptions>> {};

TEST_P(EveryTextEncoder, GivesTheSameAloneAndInABatch) {
  Random random(3);
  const TextEncoder encoder(GetParam().second, random);
  const Sequences texts = testing::random_sequences({5, 2, 9, 1}, 20, random);
  const EncodedText together = encoder(texts, {});
  EXPECT_EQ(together.states.shape(), Shape({4, 9, encoder.width()}));
  for (std::int64_t b = 0; b < 4; ++b) {
    const EncodedText alone = encoder(testing::row_of(texts, b), {});
    const std::int64_t length = texts.lengths.at({b});
    EXPECT_LE(
        testing::largest_difference(alone.states.value(),
                                    together.states.value().slice(0, b, b + 1).slice(1, 0, length)),
        1e-5)
        << "text " << b;
    EXPECT_LE(
        testing::largest_difference(alone.last.value(), together.last.value().slice(0, b, b + 1)),
        1e-5)
        << "text " << b;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryTextEncoder, ::testing::ValuesIn(encoder_kinds()),
                         [](const auto& info) { return std::string(info.param.first); });

// How far to the right the state of token 0 sees in a text of 40.
int reach(const TextEncoderOptions& options) {
  Random random(5);
  const TextEncoder encoder(options, random);
  const Sequences text = testing::random_sequences({40}, 20, random);
  const Tensor before = encoder(text, {}).states.value().select(1, 0).clone();
  int farthest = 0;
  for (std::int64_t i = 1; i < 39; ++i) {
    Sequences other{text.ids.clone(), text.lengths};
    std::int32_t& id = other.ids.mutable_data()[i];
    id = id == 19 ? 18 : id + 1;
    const Tensor after = encoder(other, {}).states.value().select(1, 0).clone();
    if (testing::largest_difference(before, after) > 0) farthest = static_cast<int>(i);
  }
  return farthest;
}

TEST(TextEncoder, SeesAsFarAsItsKindAllows) {
  EXPECT_EQ(reach(tiny_encoder(TextEncoderKind::bag)), 0);
  EXPECT_EQ(reach(tiny_encoder(TextEncoderKind::cnn)), 3);  // the widest filter covers 7
  TextEncoderOptions dilated = tiny_encoder(TextEncoderKind::cnn);
  dilated.widths = {3};
  dilated.layers = 4;
  EXPECT_EQ(reach(dilated), 4);
  dilated.dilated = true;
  EXPECT_EQ(reach(dilated), 1 + 2 + 4 + 8);
  EXPECT_EQ(reach(tiny_encoder(TextEncoderKind::transformer)), 38);
}

TEST(TextEncoder, SaysWhatDoesNotFit) {
  Random random(1);
  const auto message = [&](const TextEncoderOptions& options) {
    return test::message_of<UsageError>([&] { TextEncoder(options, random); });
  };
  TextEncoderOptions options = tiny_encoder(TextEncoderKind::cnn);
  options.widths = {2};
  EXPECT_EQ(
      message(options),
      "text encoder: a filter over 2 tokens; it takes an odd number up to 4095, as many on both "
      "sides of a token");
  options.widths = {1, 3, 5};
  EXPECT_EQ(message(options),
            "text encoder: 8 features do not divide into 3 widths of filters; give a multiple");
  options.widths = {1};
  options.dilated = true;
  options.layers = 64;
  EXPECT_EQ(message(options),
            "text encoder: 64 dilated layers; it takes at most 24, the last of which skips 2^23 "
            "words");
  options.vocabulary = 0;
  EXPECT_EQ(message(options), "text encoder: a vocabulary of 0; it takes 1 or more");
}

TEST(TextEncoder, LocksOneMaskForAllTokensOfAText) {
  for (const TextEncoderKind kind :
       {TextEncoderKind::bag, TextEncoderKind::cnn, TextEncoderKind::rnn}) {
    TextEncoderOptions options = tiny_encoder(kind);
    options.layers = 2;
    options.dropout = Real(.5);
    const auto read = [&](bool locked) {
      options.locked_dropout = locked;
      Random random(3), noise(5);
      const TextEncoder encoder(options, random);
      const Sequences texts = testing::random_sequences({7, 7}, 20, random);
      return encoder(texts, {.noise = &noise});
    };
    const EncodedText locked = read(true), loose = read(false);
    const auto same_features = [](const EncodedText& text) {  // whether all tokens lack the same
      for (std::int64_t b = 0; b < 2; ++b) {
        for (std::int64_t t = 1; t < 7; ++t) {
          for (std::int64_t f = 0; f < 6; ++f) {
            const Tensor& words = text.words.value();
            if ((words.at({b, t, f}) == 0) != (words.at({b, 0, f}) == 0)) return false;
          }
        }
      }
      return true;
    };
    EXPECT_TRUE(same_features(locked));
    EXPECT_FALSE(same_features(loose));
    EXPECT_NE(locked.states.value().values(), loose.states.value().values());
  }
}

// Replaces the vectors of words by a multiple of them.
struct Multiplied final : WordObserver {
  Real factor = 1;
  Shape shape{};
  Variable words(const attention::Site& site, const Variable& vectors) override {
    EXPECT_EQ(site.keys, "text");
    shape = vectors.shape();
    return vectors * factor;
  }
};

TEST_P(EveryTextEncoder, ReadsWordsAsTheirObserverLeavesThem) {
  Random random(3);
  TextEncoder encoder(GetParam().second, random);
  const Sequences texts = testing::random_sequences({5, 2, 9}, 20, random);
  Multiplied observer;
  const Tensor plain = encoder(texts, {}).states.value();
  EXPECT_LE(testing::largest_difference(encoder(texts, {.watch = &observer}).states.value(), plain),
            1e-6);
  EXPECT_EQ(observer.shape, Shape({3, 9, encoder.word_width()}));
  observer.factor = 2;
  const Tensor doubled = encoder(texts, {.watch = &observer}).states.value();
  for (nn::Parameter& one : nn::parameters(encoder)) {
    if (one.name != "embedding.weight") continue;
    Tensor& table = one.variable.mutable_value();
    for (std::int64_t i = 0; i < table.size(); ++i) table.mutable_data()[i] *= 2;
  }
  EXPECT_LE(testing::largest_difference(encoder(texts, {}).states.value(), doubled), 1e-5);
  struct Wrong final : WordObserver {
    Variable words(const attention::Site&, const Variable& vectors) override {
      return slice(vectors, 1, 0, 1);
    }
  } wrong;
  EXPECT_THROW(encoder(texts, {.watch = &wrong}), UsageError);
}

TEST(TextEncoder, LocksTheMaskBetweenRecurrentLayersToo) {
  TextEncoderOptions options = tiny_encoder(TextEncoderKind::rnn);
  options.layers = 2;
  options.bidirectional = false;
  options.dropout = Real(.5);
  // How many units of the first layer the second never read: they have no gradient.
  const auto unread = [&](bool locked) {
    options.locked_dropout = locked;
    Random random(3), noise(5);
    TextEncoder encoder(options, random);
    const Sequences text = testing::random_sequences({20}, 20, random);
    backward(sum(encoder(text, {.noise = &noise}).states));
    std::int64_t none = -1;
    for (const nn::Parameter& parameter : nn::parameters(encoder)) {
      if (parameter.name != "network.layers.1.w_x") continue;
      none = 0;
      const Tensor sums = sum(absolute(Variable(parameter.variable.gradient())), 0).value();
      for (const Real value : sums.values()) none += value == 0 ? 1 : 0;
    }
    return none;
  };
  EXPECT_GT(unread(true), 0);
  EXPECT_EQ(unread(false), 0);
}

}  // namespace
}  // namespace heed::models
