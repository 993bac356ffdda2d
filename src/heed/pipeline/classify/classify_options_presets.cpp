// SPDX-License-Identifier: Apache-2.0
// Presets of classifiers: models and trainings that work, by name.
#include <array>

#include "heed/pipeline/classify/classify_options.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 6> kClassifyPresets = {{
    // A mean of words, weighted: the fastest, and hard to beat where order says little.
    {"bag", R"(
encoder = "bag"
embedding = 100
attention = "additive"
dropout = 0.3
learning-rate = 0.003
batch-sentences = 50
)"},
    // Kim 2014 with a state for each word, so that attention instead of a maximum can read it.
    {"cnn", R"(
encoder = "cnn"
embedding = 100
hidden = 200
attention = "additive"
dropout = 0.4
learning-rate = 0.001
batch-sentences = 50
)"},
    {"lstm-additive", R"(
encoder = "rnn"
cell = "lstm"
embedding = 150
hidden = 100
attention = "additive"
dropout = 0.5
learning-rate = 0.001
clip-norm = 5.0
batch-sentences = 50
lower-case = true
)"},
    {"transformer-tiny", R"(
encoder = "transformer"
width = 128
heads = 4
inner = 256
layers = 2
attention = "additive"
dropout = 0.2
learning-rate = 0.0005
schedule = "inverse-square-root"
warm-up = 200
clip-norm = 1.0
batch-sentences = 50
)"},
    // Yang 2016.
    {"hierarchical", R"(
documents = true
encoder = "rnn"
cell = "gru"
embedding = 100
hidden = 50
attention = "additive"
dropout = 0.3
learning-rate = 0.002
clip-norm = 5.0
batch-sentences = 32
)"},
    // Lei 2016: a window of five words chooses, a bag of the chosen is classified.
    {"rationale", R"(
rationale = "bernoulli"
encoder = "cnn"
filters = ["5"]
embedding = 24
hidden = 48
dropout = 0.0
learning-rate = 0.003
clip-norm = 5.0
batch-sentences = 32
)"},
}};

}  // namespace

std::span<const Preset> classify_presets() {
  return kClassifyPresets;
}

}  // namespace heed::pipeline
