// SPDX-License-Identifier: Apache-2.0
// Rationales: what is kept, what is read of it, and that nothing else is.
#include "heed/models/rationale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/draws.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/classifier_testing.h"

namespace heed::models {
namespace {

using test::message_of;

ClassifierOptions with_gate(const std::string& gate,
                            TextEncoderKind predictor = TextEncoderKind::bag) {
  ClassifierOptions options = testing::tiny_classifier();
  options.attention = "none";
  options.rationale = {.gate = gate, .predictor = predictor, .hidden = 6};
  return options;
}

constexpr const char* kGates[] = {"bernoulli",    "sample(of=sigmoid, gradient=straight-through)",
                                  "hard_kuma",    "hard_concrete",
                                  "sparsemax",    "sparse_chain(coupling=0.1)",
                                  "linear_chain", "budget(k=2)"};

TEST(Rationale, WordsThatAreLeftOutChangeNoLogitToTheBit) {
  for (const TextEncoderKind predictor :
       {TextEncoderKind::bag, TextEncoderKind::cnn, TextEncoderKind::rnn}) {
    for (const Summary summary : {Summary::mean, Summary::maximum, Summary::last}) {
      // The last of a bag is the end of the text, whatever the words are.
      if (predictor == TextEncoderKind::bag && summary == Summary::last) continue;
      Random random(3);
      ClassifierOptions options = with_gate("bernoulli", predictor);
      options.summary = summary;
      const Classifier model(options, random);
      const Sequences text = testing::random_sequences({5, 2, 7, 1}, 20, random);
      const Variable kept(Tensor::of({4, 7}, {1, 0, 0, 1, 0, 0, 0,  //
                                              0, 0, 0, 0, 0, 0, 0,  //
                                              0, 1, 1, 0, 0, 1, 0,  //
                                              0, 0, 0, 0, 0, 0, 0}));
      const Selection selection{kept, kept, Ids::of({4}, {4, 1, 6, 1})};
      const Tensor before = model.judge_kept(text, selection)[0].value();
      Sequences other{text.ids.clone(), text.lengths};
      for (const std::int64_t place : {1, 2, 7, 14, 17, 18}) {
        std::int32_t& word = other.ids.mutable_data()[place];
        word = word == 19 ? 18 : word + 1;
      }
      EXPECT_EQ(model.judge_kept(other, selection)[0].value().values(), before.values());
      other.ids.mutable_data()[0] = other.ids.at({0, 0}) == 19 ? 18 : other.ids.at({0, 0}) + 1;
      EXPECT_NE(model.judge_kept(other, selection)[0].value().values(), before.values())
          << "a word that was kept counts";
    }
  }
}

TEST(Rationale, KeepsWholeWordsInUseAndTheSameOnesEachTime) {
  for (const char* gate : kGates) {
    SCOPED_TRACE(gate);
    Random random(5);
    const RationaleGenerator generator({.gate = gate}, testing::tiny_classifier().encoder, random);
    const Sequences text = testing::random_sequences({5, 2, 7, 1}, 20, random);
    const Selection found = generator(text, {});
    EXPECT_EQ(found.words.values(), (std::vector<std::int32_t>{4, 1, 6, 1}));
    EXPECT_EQ(found.kept.value().values(), generator(text, {}).kept.value().values());
    for (std::int64_t b = 0; b < 4; ++b) {
      for (std::int64_t s = 0; s < 7; ++s) {
        const Real z = found.kept.value().at({b, s});
        EXPECT_TRUE(z >= 0 && z <= 1) << z;
        if (gate == std::string_view("linear_chain")) {
          EXPECT_TRUE(z == 0 || z == 1) << z << ": weights without zeros are rounded";
        }
        if (s >= found.words.at({b})) {
          EXPECT_EQ(z, 0) << "neither an end nor padding is a word";
        }
      }
    }
  }
}

TEST(Rationale, DrawsByNoiseAndTellsHowLikely) {
  for (const char* gate : {"bernoulli", "hard_kuma", "hard_concrete"}) {
    SCOPED_TRACE(gate);
    Random random(5);
    const RationaleGenerator generator({.gate = gate}, testing::tiny_classifier().encoder, random);
    const Sequences text = testing::random_sequences({5, 4}, 20, random);
    constexpr int kDraws = 4000;
    Tensor counts = Tensor::zeros({2, 5});
    Tensor chances;
    Random noise(7);
    for (int i = 0; i < kDraws; ++i) {
      const Selection drawn = generator(text, {.noise = &noise});
      const std::vector<Real> kept = drawn.kept.value().values();
      for (std::size_t k = 0; k < kept.size(); ++k) {
        counts.mutable_data()[k] += kept[k] > 0 ? Real{1} : Real{0};
      }
      chances = drawn.chances.value();
    }
    for (std::int64_t k = 0; k < 10; ++k) {
      const double share = static_cast<double>(counts.data()[k]) / kDraws;
      EXPECT_NEAR(share, chances.packed().data()[k], 5 * std::sqrt(.25 / kDraws)) << "word " << k;
    }
  }
}

TEST(Rationale, OfABernoulliGateHasTheLogProbabilityOfItsDraws) {
  Random random(5);
  const RationaleGenerator generator({.gate = "bernoulli"}, testing::tiny_classifier().encoder,
                                     random);
  const Sequences text = testing::random_sequences({5, 3}, 20, random);
  Random noise(7);
  attention::Draws draws;
  const Selection drawn = generator(text, {.noise = &noise, .watch = &draws});
  ASSERT_EQ(draws.entries().size(), 1u);
  const Tensor log_probability = draws.log_probability().value();
  for (std::int64_t b = 0; b < 2; ++b) {
    double expected = 0;
    for (std::int64_t s = 0; s < drawn.words.at({b}); ++s) {
      const double p = drawn.chances.value().at({b, s});
      expected += std::log(drawn.kept.value().at({b, s}) > 0 ? p : 1 - p);
    }
    EXPECT_NEAR(log_probability.at({b}), expected, 1e-4);
  }
}

TEST(Rationale, BeginsWithTheRateItIsTold) {
  for (const double rate : {.1, .5, .8}) {
    Random random(5);
    const RationaleGenerator generator(
        {.gate = "bernoulli", .first_rate = rate},
        {.vocabulary = 20, .kind = TextEncoderKind::bag, .embedding = 5}, random);
    const Sequences text = testing::random_sequences({60}, 20, random);
    double sum = 0;
    for (const Real chance : generator(text, {}).chances.value().values()) {
      sum += static_cast<double>(chance);
    }
    EXPECT_NEAR(sum / 59, rate, .1);
  }
}

TEST(KeptWords, StandOneAfterAnotherBeforeTheEnd) {
  const auto end = text::kEnd;
  const Sequences text{Ids::of({3, 4}, {7, 8, 9, end, 5, 6, end, 0, 4, end, 0, 0}),
                       Ids::of({3}, {4, 3, 2})};
  const Variable kept =
      Variable::leaf(Tensor::of({3, 4}, {Real(.5), 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  const KeptWords read = kept_words(text, {kept, kept, Ids::of({3}, {3, 2, 1})});
  EXPECT_EQ(read.text.ids.values(), (std::vector<std::int32_t>{7, 9, end, end, 0, 0, 4, end, 0}));
  EXPECT_EQ(read.text.lengths.values(), (std::vector<std::int32_t>{3, 1, 2}));
  EXPECT_EQ(read.factors.value().select(0, 0).values(), (std::vector<Real>{Real(.5), 1, 1}));
  backward(sum(read.factors));
  EXPECT_EQ(kept.gradient().at({0, 0}), 1);
  EXPECT_EQ(kept.gradient().at({0, 1}), 0) << "what was left out is not read";
}

TEST(Rationale, SaysWhatDoesNotFit) {
  const auto message = [](auto change) {
    ClassifierOptions options = with_gate("bernoulli");
    change(options);
    Random random(1);
    return message_of<UsageError>([&] { const Classifier model(options, random); });
  };
  EXPECT_TRUE(message([](auto& o) { o.attention = "additive"; }).find("read without attention") !=
              std::string::npos);
  EXPECT_TRUE(message([](auto& o) { o.second = true; }).find("a rationale is of one text") !=
              std::string::npos);
  EXPECT_TRUE(message([](auto& o) {
                o.rationale.gate = "softmax";
              }).starts_with("rationale: softmax gives every word a share"));
  EXPECT_TRUE(message([](auto& o) { o.rationale.gate = "sinkhorn"; }).starts_with("rationale: "));
  EXPECT_TRUE(message([](auto& o) { o.rationale.gate = "sparsemix"; }).find("sparsemax") !=
              std::string::npos)
      << "the nearest name";
  EXPECT_TRUE(message([](auto& o) { o.rationale.gate = "bernouli"; }).find("\"bernoulli\"") !=
              std::string::npos);
  EXPECT_TRUE(message([](auto& o) {
                o.rationale.predictor = TextEncoderKind::transformer;
              }).starts_with("rationale: a predictor is a bag, cnn or rnn"));
  EXPECT_TRUE(message([](auto& o) { o.rationale.hidden = 0; }).starts_with("rationale: 0 hidden"));
  EXPECT_TRUE(message([](auto& o) {
                o.rationale.first_rate = 1;
              }).starts_with("rationale: a first rate of 1"));
  Random random(1);
  const Classifier plain(testing::tiny_classifier(), random);
  const Sequences text = testing::random_sequences({3}, 20, random);
  EXPECT_THROW(plain.judge_kept(text, {}), UsageError);
}

}  // namespace
}  // namespace heed::models
