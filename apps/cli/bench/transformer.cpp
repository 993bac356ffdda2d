// SPDX-License-Identifier: Apache-2.0
// Training steps of the small Transformer on 64 pairs of sentences: forward, backward, clipping and
// Adam. benchmarks/peers/translator_pytorch.py does the same work.
#include <vector>

#include "cli/bench/harness.h"
#include "cli/bench/translate/translation_case.h"
#include "heed/autograd/ops.h"
#include "heed/training/optimiser.h"

namespace heed::cli {
namespace {

double tokens_of(const models::Sequences& sequences) {
  double sum = 0;
  for (const std::int32_t length : sequences.lengths.span()) sum += length;
  return sum;
}

BenchRow transformer_step(const char* name, const RandomSentences& sentences) {
  Random random(1);
  models::Transformer model(small_transformer(), random);
  training::Optimiser adam(nn::parameters(model), training::Adam{});
  const models::Sequences source = random_sentences(sentences, random);
  const models::Sequences target = random_sentences(sentences, random);
  const Ids wanted = models::packed_targets(target);
  const TokenProducts products = token_products(model);
  // A product forward and two backward, each of a multiplication and an addition.
  const double flops = 6 * (products.per_source * tokens_of(source) +  //
                            products.per_target * tokens_of(target));
  const models::Call call{.noise = &random};
  BenchRow row = measure(name, {.flops = flops}, [&] {
    backward(cross_entropy(model.decode(model.encode(source, call), target, call).logits, wanted));
    adam.step({.learning_rate = 1e-4, .clip_norm = 1});
  });
  row.words_per_second = tokens_of(target) / (row.ms * 1e-3);
  return row;
}

std::vector<BenchRow> transformer_rows() {
  return {transformer_step("transformer_25", {}),
          transformer_step("transformer_5_to_25", {.shortest = 5})};
}

const ListedBenchmark kListed({"transformer", "training steps of the small Transformer",
                               transformer_rows});

}  // namespace
}  // namespace heed::cli
