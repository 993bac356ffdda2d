// SPDX-License-Identifier: Apache-2.0
// The presets of language models.
#include <array>

#include "heed/pipeline/language/language_options.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 5> kLanguagePresets = {{
    // nanoGPT's configuration for a CPU: characters, two thousand short updates.
    {"gpt-tiny", R"(
model = "gpt"
tokeniser = "characters"
layers = 4
heads = 4
width = 128
inner = 512
activation = "gelu"
positions = "learned"
longest = 64
tied = false
dropout = 0.0
tracks = 12
windows = "random"
optimiser = "adamw"
learning-rate = 0.001
lowest-rate = 0.0001
schedule = "cosine"
warm-up = 100
decay-updates = 2000
max-updates = 2000
beta2 = 0.99
weight-decay = 0.1
clip-norm = 1.0
validate-every = "500"
)"},
    // gpt-tiny with a memory: segments half as long, and thrice as much before them.
    {"xl-tiny", R"(
model = "transformer_xl"
tokeniser = "characters"
layers = 4
heads = 4
width = 128
inner = 512
activation = "gelu"
positions = "distances"
longest = 32
memory = 96
tied = false
dropout = 0.0
tracks = 24
windows = "contiguous"
optimiser = "adamw"
learning-rate = 0.001
lowest-rate = 0.0001
schedule = "cosine"
warm-up = 100
decay-updates = 2000
max-updates = 2000
beta2 = 0.99
weight-decay = 0.1
clip-norm = 1.0
validate-every = "500"
)"},
    // The size of stories15M: enough for short tales.
    {"gpt-small", R"(
model = "gpt"
tokeniser = "bpe"
layers = 6
heads = 6
width = 288
inner = 1152
activation = "gelu"
positions = "rotary"
longest = 256
dropout = 0.1
tracks = 16
windows = "random"
optimiser = "adamw"
learning-rate = 0.0006
lowest-rate = 0.00006
schedule = "cosine"
warm-up = 500
decay-updates = 20000
max-updates = 20000
beta2 = 0.98
weight-decay = 0.1
clip-norm = 1.0
)"},
    // The small model of Zaremba 2014 for words that are cut already. Its rate of 1 is for the loss
    // of twenty steps together: 20 for their mean, and norms of 0.25 for its 5.
    {"lstm-small", R"(
model = "recurrent"
cell = "lstm"
tokeniser = "spaced"
vocabulary-size = 10004
vocabulary-sample = 0
layers = 2
embedding = 200
hidden = 200
dropout = 0.2
locked-dropout = true
tracks = 20
window = 20
optimiser = "sgd"
learning-rate = 20.0
schedule = "plateau"
decay-factor = 0.5
decay-patience = 1
clip-norm = 0.25
max-epochs = 13
validate-every = "1 epoch"
save-every = "1 epoch"
)"},
    {"lstm-character", R"(
model = "recurrent"
cell = "lstm"
tokeniser = "characters"
layers = 1
embedding = 64
hidden = 256
tied = false
dropout = 0.1
tracks = 32
window = 64
learning-rate = 0.002
lowest-rate = 0.0001
schedule = "cosine"
warm-up = 100
decay-updates = 2000
max-updates = 2000
clip-norm = 1.0
validate-every = "500"
)"},
}};

}  // namespace

std::span<const Preset> language_presets() {
  return kLanguagePresets;
}

}  // namespace heed::pipeline
