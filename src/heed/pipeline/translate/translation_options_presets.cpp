// SPDX-License-Identifier: Apache-2.0
// The presets of translators.
#include <array>

#include "heed/pipeline/translate/translation_options.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 8> kTranslationPresets = {{
    // Bahdanau 2015 with a GRU of half its width.
    {"rnn-additive", R"(
model = "seq2seq"
attention = "additive"
arrangement = "bahdanau"
cell = "gru"
embedding = 256
hidden = 512
encoder-hidden = 256
encoder-layers = 1
decoder-layers = 1
dropout = 0.3
tie = "none"
learning-rate = 0.001
schedule = "inverse-square-root"
warm-up = 500
clip-norm = 1.0
batch-tokens = 2048
)"},
    // Luong 2015: stacked LSTMs, the bilinear ("general") score, input feeding.
    {"rnn-luong", R"(
model = "seq2seq"
attention = "bilinear"
arrangement = "luong"
input-feeding = true
cell = "lstm"
embedding = 256
hidden = 512
encoder-hidden = 256
encoder-layers = 2
decoder-layers = 2
dropout = 0.3
tie = "none"
learning-rate = 0.001
schedule = "inverse-square-root"
warm-up = 500
clip-norm = 1.0
batch-tokens = 2048
)"},
    // For tens of thousands of short sentences: small, and dropped from generously.
    {"transformer-tiny", R"(
model = "transformer"
width = 128
heads = 4
inner = 512
encoder-layers = 3
decoder-layers = 3
dropout = 0.2
learning-rate = 0.002
schedule = "inverse-square-root"
warm-up = 1000
beta2 = 0.98
clip-norm = 1.0
batch-tokens = 2048
)"},
    // See 2017 in small: words are generated or copied, those of no vocabulary included. Copies
    // 97.5% of the unseen names of the corpus names into their places after 1,500 updates.
    {"rnn-copy", R"(
model = "seq2seq"
attention = "additive"
arrangement = "bahdanau"
cell = "gru"
embedding = 64
hidden = 96
encoder-hidden = 64
encoder-layers = 1
decoder-layers = 1
dropout = 0.1
tie = "none"
copy = true
label-smoothing = 0.0
tokeniser = "words"
learning-rate = 0.005
schedule = "inverse-square-root"
warm-up = 100
clip-norm = 1.0
batch-tokens = 1500
)"},
    // The same for the Transformer: the last layer's attention over the source copies.
    {"transformer-copy", R"(
model = "transformer"
width = 128
heads = 4
inner = 512
encoder-layers = 2
decoder-layers = 2
dropout = 0.1
copy = true
label-smoothing = 0.0
tokeniser = "words"
learning-rate = 0.002
schedule = "inverse-square-root"
warm-up = 500
beta2 = 0.98
clip-norm = 1.0
batch-tokens = 2048
)"},
    // Miculicich 2018 in small: the encoder reads the sentence before. All pronouns of the corpus
    // documents are right after 600 updates.
    {"transformer-document", R"(
model = "transformer"
width = 64
heads = 4
inner = 128
encoder-layers = 1
decoder-layers = 1
dropout = 0.0
documents = true
context-sentences = 1
context-side = "source"
tokeniser = "words"
learning-rate = 0.004
schedule = "inverse-square-root"
warm-up = 200
beta2 = 0.98
clip-norm = 1.0
batch-tokens = 1500
)"},
    {"transformer-small", R"(
model = "transformer"
width = 256
heads = 8
inner = 1024
encoder-layers = 3
decoder-layers = 3
dropout = 0.2
learning-rate = 0.001
schedule = "inverse-square-root"
warm-up = 2000
beta2 = 0.98
clip-norm = 1.0
batch-tokens = 4096
)"},
    // The base model of Vaswani 2017, with the norm before each sublayer.
    {"transformer-base", R"(
model = "transformer"
width = 512
heads = 8
inner = 2048
encoder-layers = 6
decoder-layers = 6
dropout = 0.1
learning-rate = 0.0007
schedule = "inverse-square-root"
warm-up = 4000
beta2 = 0.98
epsilon = 1e-9
clip-norm = 1.0
batch-tokens = 8192
vocabulary-size = 32000
)"},
}};

}  // namespace

std::span<const Preset> translation_presets() {
  return kTranslationPresets;
}

}  // namespace heed::pipeline
