// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of what a language model in use can be told.
#include "heed/pipeline/drawing_options.h"
#include "heed/pipeline/language/language_generator.h"

namespace heed::pipeline {
namespace {

void declare_cache(decoding::CacheOptions& cache, Options& options) {
  options
      .add("cache-size", cache.size,
           "past states kept by a continuous cache, which makes words likelier that followed "
           "similar states; 0: no cache")
      .range(0, 1 << 24);
  options.add("cache-theta", cache.theta, "cache: how much similarity counts").at_least(0);
  options.add("cache-lambda", cache.lambda, "cache: its share of the probabilities")
      .at_least(0)
      .below(1);
}

void declare_memory(std::int64_t& memory, Options& options) {
  options
      .add("memory", memory,
           "language models with a memory of segments: states each layer keeps, another number "
           "than in training if you like; -1: as many as in training")
      .range(-1, 1 << 24);
}

}  // namespace

void GenerateOptions::declare(Options& options) {
  options.add("length", length, "tokens to write").range(1, 1 << 24);
  declare_drawing(draw, options);
  options.add("greedy", greedy, "always the likeliest token");
  options.add("seed", seed, "sampling: the same seed draws the same");
  options.add("unknown", unknown, "whether the unknown token may be written");
  options.add("stop", stop, "texts to end before, such as the end of a line");
  declare_memory(memory, options);
  declare_cache(cache, options);
}

void ScoreOptions::declare(Options& options) {
  options
      .add("window", window, "language models: tokens a Transformer sees at a time; 0: its context")
      .range(0, 1 << 24);
  options
      .add("stride", stride,
           "language models: tokens from one window to the next; 0: a whole window")
      .range(0, 1 << 24);
  declare_memory(memory, options);
  declare_cache(cache, options);
}

}  // namespace heed::pipeline
