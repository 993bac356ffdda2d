// SPDX-License-Identifier: Apache-2.0
// Training steps of an LSTM encoder-decoder with additive attention: 64 pairs of 25 tokens,
// forward, backward, clipping and Adam. benchmarks/peers/seq2seq_pytorch.py does the same work.
#include <vector>

#include "cli/bench/harness.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/models/seq2seq.h"
#include "heed/training/optimiser.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kBatch = 64, kPairLength = 25, kVocabulary = 8000;
constexpr std::int64_t kEmbedding = 256, kPairHidden = 512;

models::Sequences random_sequences(Random& random) {
  Ids ids({kBatch, kPairLength});
  for (std::int64_t i = 0; i < ids.size(); ++i) {
    ids.mutable_data()[i] =
        text::kFirstPiece + static_cast<std::int32_t>(random.integer(kVocabulary - 4));
  }
  return {ids, Ids::full({kBatch}, static_cast<std::int32_t>(kPairLength))};
}

// Of the products, forward and backward: three times two per element of a weight and token. The
// activations inside the attention are not counted.
double flops(models::Arrangement arrangement) {
  const bool before = arrangement == models::Arrangement::bahdanau;
  const std::int64_t encoder = 2 * 4 * kPairHidden * (kEmbedding + kPairHidden);
  const std::int64_t fed = before ? 2 * kPairHidden : kPairHidden;
  const std::int64_t decoder = 4 * kPairHidden * (kEmbedding + fed + kPairHidden);
  const std::int64_t projections = 2 * kPairHidden * kPairHidden + kPairHidden * kPairHidden;
  const std::int64_t readout = kPairHidden * (3 * kPairHidden + (before ? kEmbedding : 0));
  const std::int64_t contexts = kPairLength * (2 * kPairHidden);
  const std::int64_t all =
      encoder + decoder + projections + readout + contexts + kPairHidden * kVocabulary;
  return 6.0 * static_cast<double>(kBatch * kPairLength * all);
}

BenchRow seq2seq_step(const char* name, models::Arrangement arrangement) {
  Random random(1);
  models::Seq2Seq model({.source_vocabulary = kVocabulary,
                         .target_vocabulary = kVocabulary,
                         .embedding = kEmbedding,
                         .hidden = kPairHidden,
                         .attention = "additive(size=512)",
                         .arrangement = arrangement,
                         .input_feeding = arrangement == models::Arrangement::luong},
                        random);
  training::Optimiser adam(nn::parameters(model), training::Adam{});
  const models::Sequences source = random_sequences(random), target = random_sequences(random);
  const Ids wanted = models::packed_targets(target);
  BenchRow row = measure(name, {.flops = flops(arrangement)}, [&] {
    backward(cross_entropy(model.decode(model.encode(source, {}), target, {}).logits, wanted));
    adam.step({.learning_rate = 1e-3, .clip_norm = 1});
  });
  row.words_per_second = static_cast<double>(kBatch * kPairLength) / (row.ms * 1e-3);
  return row;
}

std::vector<BenchRow> seq2seq_rows() {
  return {seq2seq_step("seq2seq_bahdanau", models::Arrangement::bahdanau),
          seq2seq_step("seq2seq_luong", models::Arrangement::luong)};
}

const ListedBenchmark kListed({"seq2seq",
                               "training steps of an LSTM encoder-decoder with attention",
                               seq2seq_rows});

}  // namespace
}  // namespace heed::cli
