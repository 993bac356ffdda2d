// SPDX-License-Identifier: Apache-2.0
// Encoder-decoders that read the sentences before: with and without any, in batches and alone.
#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/models/seq2seq.h"
#include "heed/models/testing.h"
#include "heed/models/transformer.h"

namespace heed::models {
namespace {

Seq2SeqOptions recurrent_options() {
  return {.source_vocabulary = 9,
          .target_vocabulary = 9,
          .embedding = 6,
          .hidden = 8,
          .documents = true};
}

TransformerOptions transformer_options(bool source, bool target) {
  return {.source_vocabulary = 9,
          .target_vocabulary = 9,
          .stack = {.width = 8, .heads = 2, .inner = 12, .dropout = 0},
          .encoder_layers = 1,
          .decoder_layers = 1,
          .source_context = source,
          .target_context = target};
}

std::vector<std::unique_ptr<EncoderDecoder>> context_models() {
  Random random(8);
  std::vector<std::unique_ptr<EncoderDecoder>> models;
  models.push_back(std::make_unique<Seq2Seq>(recurrent_options(), random));
  models.push_back(std::make_unique<Transformer>(transformer_options(true, false), random));
  models.push_back(std::make_unique<Transformer>(transformer_options(false, true), random));
  models.push_back(std::make_unique<Transformer>(transformer_options(true, true), random));
  return models;
}

struct ContextExample {
  Random random{7};
  Source source = testing::with_context(testing::random_sequences({5, 2, 7}, 9, random), random);
  Sequences target = testing::random_sequences({4, 6, 3}, 9, random);
};

TEST(Context, ASentenceIsTheSameAloneInABatchAndStepByStep) {
  const ContextExample example;
  for (const auto& model : context_models()) {
    testing::expect_batches_and_steps_agree(*model, example.source, example.target);
    testing::expect_rows_can_be_reordered(*model, example.source);
  }
}

TEST(Context, TheFirstSentenceOfADocumentHasNone) {
  const ContextExample example;
  for (const auto& model : context_models()) {
    const NoGradient values_only;
    const Tensor with =
        model->decode(model->encode(example.source, {}), example.target, {}).logits.value();
    const Tensor without =
        model->decode(model->encode(example.source.sentences, {}), example.target, {})
            .logits.value();
    // Rows 0 to 9 are of sentences with others before them, 10 to 12 of one without.
    EXPECT_GT(testing::largest_difference(with.slice(0, 0, 10), without.slice(0, 0, 10)), 1e-3);
    EXPECT_LE(testing::largest_difference(with.slice(0, 10, 13), without.slice(0, 10, 13)), 1e-6);
  }
}

TEST(Context, EachSideReadsItsOwnSentences) {
  const ContextExample example;
  const NoGradient values_only;
  for (const bool source_side : {true, false}) {
    Random random(3);
    const Transformer model(transformer_options(source_side, !source_side), random);
    const auto logits = [&](const Source& source) {
      return model.decode(model.encode(source, {}), example.target, {}).logits.value();
    };
    Source other = example.source;
    other.before.target.ids = other.before.target.ids.clone();
    other.before.target.ids.mutable_data()[0] = text::kFirstPiece + 4;
    const double changed = testing::largest_difference(logits(other), logits(example.source));
    if (source_side) {
      EXPECT_EQ(changed, 0);
    } else {
      EXPECT_GT(changed, 1e-4);
    }
  }
}

TEST(Context, LeavesItsWeightsInTheTrace) {
  const ContextExample example;
  Random random(3);
  const Transformer model(transformer_options(true, true), random);
  attention::Trace trace;
  const Encoded encoded = model.encode(example.source, {.watch = &trace});
  model.step(encoded, model.start(encoded), Ids::full({3}, text::kBegin), {.watch = &trace});
  std::vector<std::string> kinds;
  for (const attention::Trace::Entry& entry : trace.entries()) kinds.emplace_back(entry.site.set);
  EXPECT_EQ(kinds, (std::vector<std::string>{"encoder self", "source context words",
                                             "source context sentences", "decoder self", "cross",
                                             "target context words", "target context sentences"}));
}

}  // namespace
}  // namespace heed::models
