// SPDX-License-Identifier: Apache-2.0
// Copying in both decoders: probabilities, batches, steps, and that it is learnt.
#include "heed/models/copying.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/models/copying_testing.h"
#include "heed/models/seq2seq.h"
#include "heed/models/testing.h"
#include "heed/models/transformer.h"

namespace heed::models {
namespace {

using testing::copied_example;
using testing::CopiedExample;
using testing::copying_seq2seq;
using testing::copying_transformer;

std::vector<std::unique_ptr<EncoderDecoder>> copying_models() {
  Random random(4);
  std::vector<std::unique_ptr<EncoderDecoder>> models;
  for (const Arrangement arrangement : {Arrangement::bahdanau, Arrangement::luong}) {
    for (const bool feeding : {false, true}) {
      if (feeding && arrangement == Arrangement::bahdanau) continue;
      Seq2SeqOptions options = copying_seq2seq();
      options.arrangement = arrangement;
      options.input_feeding = feeding;
      models.push_back(std::make_unique<Seq2Seq>(options, random));
    }
  }
  models.push_back(std::make_unique<Transformer>(copying_transformer(), random));
  TransformerOptions options = copying_transformer();
  options.copy_layer = 0;
  options.copy_head = 1;
  options.stack.cross_attention = "scaled_dot | full | sparsemax";
  models.push_back(std::make_unique<Transformer>(options, random));
  return models;
}

TEST(Copying, GivesProbabilitiesOverTheVocabularyAndTheSentencesOwnWords) {
  const CopiedExample example = copied_example();
  for (const auto& model : copying_models()) {
    const Decoded decoded = model->decode(model->encode(example.source, {}), example.target, {});
    ASSERT_EQ(decoded.logits.shape(), Shape({9, 10}));  // 8 words and 2 of the first sentence's own
    const Variable likely = exp(decoded.logits);
    for (std::int64_t row = 0; row < 9; ++row) {
      EXPECT_NEAR(sum(select(likely, 0, row)).item(), 1, 1e-5);
      // The second sentence has no second word of its own.
      EXPECT_EQ(likely.value().at({row, 9}) > 0, row < 4);
    }
    EXPECT_EQ(decoded.copying.shape(), Shape({2, 5, 4}));
  }
}

TEST(Copying, TracesHowLikelyEachPlaceIsCopiedAtOnceAndStepByStep) {
  const CopiedExample example = copied_example();
  for (const auto& model : copying_models()) {
    const NoGradient values_only;
    attention::Trace whole;
    const Encoded encoded = model->encode(example.source, {});
    const Decoded decoded = model->decode(encoded, example.target, {.watch = &whole});
    const attention::Trace::Entry& copies = whole.entries().back();
    ASSERT_EQ(copies.site.set, "copy");
    ASSERT_EQ(copies.weights.shape(), Shape({2, 1, 5, 4}));
    DecoderState state = model->start(encoded);
    const Ids before = shifted(example.target.ids);
    for (std::int64_t t = 0; t < 5; ++t) {
      attention::Trace one;
      Step step = model->step(encoded, state, before.select(1, t).packed(), {.watch = &one});
      state = std::move(step.state);
      ASSERT_EQ(one.entries().back().site.set, "copy");
      for (std::int64_t b = 0; b < 2; ++b) {
        if (t >= example.target.lengths.at({b})) continue;
        double sum = 0;
        for (std::int64_t s = 0; s < 4; ++s) {
          const Real seen = copies.weights.at({b, 0, t, s});
          // The second source has three tokens.
          ASSERT_EQ(attention::is_masked(seen), b == 1 && s == 3);
          if (attention::is_masked(seen)) continue;
          EXPECT_NEAR(one.entries().back().weights.at({b, 0, 0, s}), seen, 1e-6);
          sum += seen;
          // Copying is a share of the attention it copies with, the same for all places.
          const Real weight = decoded.copying.value().at({b, t, s});
          EXPECT_LE(seen, weight + 1e-6);
          EXPECT_EQ(seen == 0, weight == 0);
        }
        EXPECT_GT(sum, 0);
        EXPECT_LT(sum, 1);
      }
    }
  }
}

TEST(Copying, TracesWhatMakesUpTheProbabilityOfAnOwnWord) {
  const CopiedExample example = copied_example();
  for (const auto& model : copying_models()) {
    const NoGradient values_only;
    attention::Trace trace;
    const Decoded decoded =
        model->decode(model->encode(example.source, {}), example.target, {.watch = &trace});
    const Tensor& copies = trace.entries().back().weights;
    for (std::int64_t t = 0; t < 4; ++t) {  // the tokens of the first sentence
      for (const std::int32_t own : {8, 9}) {
        double copied = 0;
        for (std::int64_t s = 0; s < 4; ++s) {
          if (example.source.copies.at({0, s}) == own) copied += copies.at({0, 0, t, s});
        }
        EXPECT_NEAR(std::exp(decoded.logits.value().at({t, own})), copied, 1e-5);
      }
    }
  }
}

TEST(Copying, GivesASentenceTheSameAloneInABatchAndStepByStep) {
  const CopiedExample example = copied_example();
  for (const auto& model : copying_models()) {
    const NoGradient values_only;
    const Tensor batched =
        exp(model->decode(model->encode(example.source, {}), example.target, {}).logits).value();
    std::int64_t first = 0;
    for (std::int64_t b = 0; b < 2; ++b) {
      const Sequences target = testing::row_of(example.target, b);
      const Encoded encoded = model->encode(testing::row_of(example.source, b), {});
      const Tensor alone = exp(model->decode(encoded, target, {}).logits).value();
      const std::int64_t columns = alone.size(1);  // the vocabulary, and words of its own
      DecoderState state = model->start(encoded);
      const Ids before = shifted(target.ids);
      for (std::int64_t t = 0; t < target.ids.size(1); ++t, ++first) {
        const Tensor mine = batched.slice(0, first, first + 1).slice(1, 0, columns);
        EXPECT_LE(testing::largest_difference(alone.slice(0, t, t + 1), mine), 1e-5);
        Step step = model->step(encoded, state, Ids::of({1}, {before.at({0, t})}), {});
        EXPECT_LE(testing::largest_difference(exp(step.logits).value(), mine), 1e-5);
        state = std::move(step.state);
      }
    }
  }
}

TEST(Copying, ReordersWhatCanBeCopiedWithItsRows) {
  const CopiedExample example = copied_example();
  const auto model = std::move(copying_models().front());
  const NoGradient values_only;
  const Encoded encoded = model->encode(example.source, {});
  const Ids rows = Ids::of({3}, {1, 0, 1});
  const Encoded other = encoded.reordered(rows);
  const CopySource& copies = other.as<RecurrentSource>().copies;
  EXPECT_EQ(copies.own, 2);
  EXPECT_EQ(copies.copies.at({1, 0}), 8);
  const Tensor straight =
      model->step(encoded, model->start(encoded), Ids::full({2}, text::kBegin), {}).logits.value();
  const Tensor moved =
      model->step(other, model->start(other), Ids::full({3}, text::kBegin), {}).logits.value();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(moved.at({i, 8}), straight.at({rows.at({i}), 8}), 1e-5);
  }
}

TEST(Copying, LearnsToWriteWordsThatNoVocabularyHas) {
  // "x A y B" -> "B A": A and B are new words each time, known by their places only.
  for (const bool recurrent : {true, false}) {
    Random random(2);
    std::unique_ptr<EncoderDecoder> model;
    if (recurrent) {
      model = std::make_unique<Seq2Seq>(copying_seq2seq(), random);
    } else {
      model = std::make_unique<Transformer>(copying_transformer(), random);
    }
    Source source(sequences(text::pad_rows(
        std::vector<text::Tokens>{{4, text::kUnknown, 5, text::kUnknown, text::kEnd}})));
    source.copies = Ids::of({1, 5}, {4, 8, 5, 9, text::kEnd});
    const Sequences target =
        sequences(text::pad_rows(std::vector<text::Tokens>{{9, 8, text::kEnd}}));
    testing::Learner learner(nn::parameters(*model));
    for (int i = 0; i < 80; ++i) {
      backward(testing::loss_of(*model, source, target));
      learner.update(.02);
    }
    EXPECT_LT(testing::loss_of(*model, source, target).item(), .1) << recurrent;
  }
}

TEST(CoverageLoss, CountsOnlyWhatWasLookedAtBefore) {
  const Sequences target{Ids::of({1, 3}, {4, 5, 3}), Ids::of({1}, {3})};
  const Tensor once = Tensor::of({1, 3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_EQ(coverage_loss(once, target).item(), 0);
  const Tensor twice = Tensor::of({1, 3, 3}, {1, 0, 0, .5, .5, 0, 1, 0, 0});
  EXPECT_NEAR(coverage_loss(twice, target).item(), .5 + 1, 1e-6);
  // What is after the end does not count.
  const Sequences shorter{target.ids, Ids::of({1}, {2})};
  EXPECT_NEAR(coverage_loss(twice, shorter).item(), .5, 1e-6);
}

TEST(Copying, RefusesASourceThatDoesNotSayWhatItsWordsAre) {
  const CopiedExample example = copied_example();
  for (const auto& model : copying_models()) {
    EXPECT_THROW(model->encode(example.source.sentences, {}), UsageError);
  }
  Random random(1);
  Seq2SeqOptions options = copying_seq2seq();
  options.attention = "none";
  EXPECT_THROW(Seq2Seq(options, random), UsageError);
  TransformerOptions other = copying_transformer();
  other.copy_head = 2;
  EXPECT_THROW(Transformer(other, random), UsageError);
}

}  // namespace
}  // namespace heed::models
