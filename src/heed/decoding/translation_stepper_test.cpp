// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/translation_stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "heed/attention/trace_testing.h"
#include "heed/autograd/ops.h"
#include "heed/decoding/search.h"
#include "heed/models/seq2seq.h"
#include "heed/models/testing.h"
#include "heed/models/transformer.h"
#include "heed/tensor/testing.h"

namespace heed::decoding {
namespace {

using heed::testing::message_of;
using heed::testing::wavy;
using models::testing::random_sequences;
using models::testing::row_of;

// logits = table of the last token, of the one before it and of the source's first token: small
// enough to check by hand, and wrong as soon as a row is another's.
class TinyModel final : public models::EncoderDecoder, public models::Decoder {
 public:
  TinyModel(std::int64_t vocabulary, double phase)
      : last_(wavy({vocabulary, vocabulary}, phase)),
        before_(wavy({vocabulary, vocabulary}, phase + 5)),
        source_(wavy({vocabulary, vocabulary}, phase + 11)) {}

  void visit(nn::ParameterVisitor&) override {}
  const models::Decoder& decoder() const override { return *this; }
  models::Encoded read(const models::EncoderStates&) const override { return {}; }
  struct Vector {  // of each row: what it knows of its source, or of the token before the last
    Variable x;
    void visit(models::StateVisitor& visitor) { visitor("x", x); }
  };
  models::Encoded encode(const models::Source& source, const models::Call&) const override {
    return Vector{embedding(source_, source.sentences.ids.slice(1, 0, 1).clone().reshape({-1}))};
  }
  models::Decoded decode(const models::Encoded&, const models::Sequences&,
                         const models::Call&) const override {
    return {};
  }
  models::DecoderState start(const models::Encoded& encoded) const override {
    return {.own = Vector{Variable(Tensor::zeros(encoded.as<Vector>().x.shape()))}};
  }
  models::Step step(const models::Encoded& encoded, const models::DecoderState& state,
                    const Ids& tokens, const models::Call&) const override {
    models::DecoderState next = state;
    next.step += 1;
    next.own = Vector{embedding(before_, tokens)};
    return {embedding(last_, tokens) + state.own.as<Vector>().x + encoded.as<Vector>().x, next};
  }
  std::int64_t longest() const override { return 30; }

 private:
  Variable last_, before_, source_;
};

models::Sequences sources(const std::vector<int>& lengths, std::int64_t vocabulary) {
  Random random(3);
  return random_sequences(lengths, vocabulary, random);
}

// The same beams alone and in a padded batch.
void expect_batched_as_alone(const models::EncoderDecoder& model, const models::Sequences& all,
                             const BeamOptions& options) {
  TranslationStepper stepper(model, all);
  const auto batched = beam_search(stepper, options);
  for (std::int64_t sentence = 0; sentence < all.lengths.size(); ++sentence) {
    TranslationStepper one(model, row_of(all, sentence));
    const auto alone = beam_search(one, options)[0];
    const auto& beside = batched[static_cast<std::size_t>(sentence)];
    ASSERT_EQ(alone.size(), beside.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].tokens, beside[i].tokens) << "sentence " << sentence << ", rank " << i;
      EXPECT_NEAR(alone[i].score, beside[i].score, 1e-5);
      ASSERT_EQ(alone[i].attentions.size(), beside[i].attentions.size());
      for (std::size_t site = 0; site < alone[i].attentions.size(); ++site) {
        attention::testing::expect_same_looks(alone[i].attentions[site].weights,
                                              beside[i].attentions[site].weights, 1e-5);
      }
    }
  }
}

TEST(TranslationStepper, GivesTheSameBatchedAsOneByOne) {
  const TinyModel model(12, 0);
  expect_batched_as_alone(model, sources({3, 7, 1, 5, 2}, 12), {.width = 4, .n_best = 4});
}

TEST(TranslationStepper, TellsTheLengthsOfSourcesRowByRow) {
  const TinyModel model(12, 0);
  TranslationStepper stepper(model, sources({3, 7, 1}, 12));
  EXPECT_EQ(stepper.longest(), 30);
  EXPECT_EQ(stepper.source_lengths().values(), (std::vector<std::int32_t>{3, 7, 1}));
  stepper.reorder(Ids::of({4}, {2, 1, 1, 0}));
  EXPECT_EQ(stepper.rows(), 4);
  EXPECT_EQ(stepper.source_lengths().values(), (std::vector<std::int32_t>{1, 7, 7, 3}));
}

TEST(TranslationStepper, CopiesSourcesOnlyWhenRowsChangeTheirSentence) {
  const TinyModel model(12, 0);
  TranslationStepper stepper(model, sources({3, 7}, 12));
  stepper.step(Ids::full({2}, text::kBegin), nullptr);
  stepper.reorder(Ids::of({4}, {0, 0, 1, 1}));
  EXPECT_EQ(stepper.source_copies(), 1);
  stepper.step(Ids::of({4}, {4, 5, 6, 7}), nullptr);
  stepper.reorder(Ids::of({4}, {1, 1, 3, 2}));
  EXPECT_EQ(stepper.source_copies(), 1);
  // The state has moved all the same: rows 0 and 1 both continue what row 1 had read.
  const Tensor found = stepper.step(Ids::of({4}, {9, 9, 9, 9}), nullptr);
  EXPECT_EQ(found.select(0, 0).values(), found.select(0, 1).values());
  EXPECT_NE(found.select(0, 2).values(), found.select(0, 3).values());
  stepper.reorder(Ids::of({2}, {0, 1}));
  EXPECT_EQ(stepper.source_copies(), 2);
}

TEST(TranslationStepper, LetsModelsVoteByTheMeanOfTheirProbabilities) {
  const TinyModel one(12, 0);
  const TinyModel two(12, 1);
  const TinyModel three(12, 2);
  const models::Sequences source = sources({3, 4}, 12);
  const auto probabilities = [&](const TranslationStepper::Models& models) {
    TranslationStepper stepper(models, source);
    std::vector<Real> values = stepper.step(Ids::full({2}, text::kBegin), nullptr).values();
    for (Real& x : values) x = std::exp(x);
    return values;
  };
  const auto a = probabilities({&one});
  const auto b = probabilities({&two});
  const auto c = probabilities({&three});
  const auto mean = probabilities({&one, &two, &three});
  double sum = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    EXPECT_NEAR(mean[i], (a[i] + b[i] + c[i]) / 3, 1e-6);
    sum += mean[i];
  }
  EXPECT_NEAR(sum, 2, 1e-5);  // two rows
}

// A model of one step with given logits.
class Fixed final : public models::EncoderDecoder, public models::Decoder {
 public:
  explicit Fixed(Tensor logits) : logits_(std::move(logits)) {}
  void visit(nn::ParameterVisitor&) override {}
  const models::Decoder& decoder() const override { return *this; }
  models::Encoded read(const models::EncoderStates&) const override { return {}; }
  models::Encoded encode(const models::Source&, const models::Call&) const override { return {}; }
  models::Decoded decode(const models::Encoded&, const models::Sequences&,
                         const models::Call&) const override {
    return {};
  }
  models::DecoderState start(const models::Encoded&) const override { return {}; }
  models::Step step(const models::Encoded&, const models::DecoderState& state, const Ids&,
                    const models::Call&) const override {
    return {Variable(logits_), state};
  }

 private:
  Tensor logits_;
};

TEST(TranslationStepper, KeepsSmallAndImpossibleTokensApartInAVote) {
  constexpr Real kNever = -std::numeric_limits<Real>::infinity();
  const Fixed one(Tensor::of({1, 5}, {0, -200, -300, kNever, kNever}));
  const Fixed two(Tensor::of({1, 5}, {0, -200, kNever, -250, kNever}));
  TranslationStepper stepper({&one, &two}, sources({1}, 12));
  const auto found = stepper.step(Ids::full({1}, text::kBegin), nullptr).values();
  EXPECT_NEAR(found[0], 0, 1e-4);
  EXPECT_NEAR(found[1], -200, 1e-4);
  EXPECT_NEAR(found[2], -300 - std::log(2), 1e-4);
  EXPECT_NEAR(found[3], -250 - std::log(2), 1e-4);
  EXPECT_EQ(found[4], kNever);
  // The model keeps its logits, whatever the search writes over the log-probabilities.
  EXPECT_EQ(one.step({}, {}, {}, {}).logits.value().at({0, 1}), -200);
}

TEST(TranslationStepper, RefusesModelsOfDifferentVocabularies) {
  const Fixed one(Tensor::zeros({1, 5}));
  const Fixed two(Tensor::zeros({1, 6}));
  TranslationStepper stepper({&one, &two}, sources({1}, 12));
  const std::string message =
      message_of([&] { stepper.step(Ids::full({1}, text::kBegin), nullptr); });
  EXPECT_NE(message.find("model 0 has a target vocabulary of 5 tokens and model 1 one of 6"),
            std::string::npos)
      << message;
  EXPECT_THROW(TranslationStepper(TranslationStepper::Models{}, sources({1}, 12)), UsageError);
}

models::TransformerOptions small_transformer() {
  return {.source_vocabulary = 20,
          .target_vocabulary = 25,
          .stack = {.width = 16, .heads = 4, .inner = 32},
          .encoder_layers = 2,
          .decoder_layers = 2};
}

TEST(TranslationStepper, TranslatesWithATransformerBatchedAsOneByOne) {
  Random random(1);
  const models::Transformer model(small_transformer(), random);
  expect_batched_as_alone(model, sources({3, 9, 1, 6}, 20),
                          {.width = 4,
                           .n_best = 3,
                           .constraints = {.most = {.per_source = 1, .constant = 6}},
                           .attentions = true});
}

// The log-probability of an output is what decode() gives the same tokens at once, and the weights
// of its path are those decode() leaves.
void expect_scores_of_decode(const models::EncoderDecoder& model, const models::Sequences& source) {
  const NoGradient values_only;
  TranslationStepper stepper(model, source);
  const auto found = beam_search(
      stepper,
      {.width = 3, .constraints = {.most = {.per_source = 1, .constant = 6}}, .attentions = true});
  for (std::int64_t sentence = 0; sentence < source.lengths.size(); ++sentence) {
    const Hypothesis& best = found[static_cast<std::size_t>(sentence)][0];
    text::Tokens written = best.tokens;
    if (best.finished) written.push_back(text::kEnd);
    const models::Sequences target =
        models::sequences(text::pad_rows(std::vector<text::Tokens>{written}));
    attention::Trace trace;
    const models::Encoded encoded = model.encode(row_of(source, sentence), {});
    const Tensor scores =
        log_softmax(model.decode(encoded, target, {.watch = &trace}).logits).value();
    for (std::size_t t = 0; t < written.size(); ++t) {
      EXPECT_NEAR(best.token_log_probabilities[t],
                  scores.at({static_cast<std::int64_t>(t), written[t]}), 1e-5);
    }
    // A recurrent decoder leaves one entry per token, a Transformer one for all.
    const std::vector<AttentionPath> at_once = paths_of(trace, 0);
    ASSERT_EQ(at_once.size(), best.attentions.size());
    for (std::size_t i = 0; i < at_once.size(); ++i) {
      EXPECT_EQ(at_once[i].site.set, best.attentions[i].site.set);
      attention::testing::expect_same_looks(best.attentions[i].weights, at_once[i].weights, 1e-5);
    }
  }
}

TEST(TranslationStepper, ScoresAsTheTransformerDecodesAtOnce) {
  Random random(2);
  const models::Transformer model(small_transformer(), random);
  expect_scores_of_decode(model, sources({4, 8, 2}, 20));
}

models::Seq2SeqOptions small_seq2seq(const std::string& attention,
                                     models::Arrangement arrangement) {
  return {.source_vocabulary = 20,
          .target_vocabulary = 25,
          .embedding = 8,
          .hidden = 12,
          .attention = attention,
          .arrangement = arrangement};
}

TEST(TranslationStepper, TranslatesWithRecurrentNetworksBatchedAsOneByOne) {
  for (const char* attention : {"additive", "dot | full | sparsemax", "none"}) {
    for (const auto arrangement : {models::Arrangement::bahdanau, models::Arrangement::luong}) {
      Random random(4);
      models::Seq2SeqOptions options = small_seq2seq(attention, arrangement);
      if (attention == std::string("dot | full | sparsemax")) options.encoder_hidden = 6;
      const models::Seq2Seq model(options, random);
      const models::Sequences source = sources({3, 9, 1, 6}, 20);
      expect_batched_as_alone(model, source,
                              {.width = 4,
                               .n_best = 3,
                               .constraints = {.most = {.per_source = 1, .constant = 6}},
                               .attentions = true});
      expect_scores_of_decode(model, source);
    }
  }
}

}  // namespace
}  // namespace heed::decoding
