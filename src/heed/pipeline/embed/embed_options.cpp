// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of sentence embeddings.
#include "heed/pipeline/embed/embed_options.h"

#include <array>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 2> kEmbedPresets = {{
    {"bag", R"(
encoder = "bag"
embedding = 128
learning-rate = 0.003
)"},
    {"tiny", R"(
width = 128
heads = 4
inner = 512
layers = 2
learning-rate = 0.001
warm-up = 200
)"},
}};

}  // namespace

EmbedOptions::EmbedOptions() {
  encoder = models::TextEncoderKind::transformer;
  stack.layers = 2;
  max_length = 256;
  too_long = text::TooLong::crop;
  trainer.clip_norm = 1;
  trainer.early_stopping = "found";
  trainer.schedule.decay = training::Decay::inverse_square_root;
  trainer.schedule.warm_up = 500;
  declare_run(embed_presets());
  list.section("Data");
  list.add("train", train,
           "pairs of texts that belong together, such as a question and its answer: TEXT<TAB>TEXT "
           "on each line (or gz)")
      .kind("FILE")
      .required();
  list.add("valid", valid, "pairs for validation, likewise").kind("FILE");
  list.add("valid-fraction", valid_fraction,
           "without a validation file: the share of training lines held out as one")
      .at_least(0)
      .below(1);
  list.add("fold", fold, "which part of that size is held out, from 0; --folds goes through them")
      .at_least(0);
  list.add("valid-count", valid_count,
           "pairs of validation at most: each first text looks for its second among all of them")
      .range(2, 100'000);
  declare_stream(list);
  vocabulary.declare(list);
  declare_encoder(list);
  list.section("Vectors");
  list.add("pooling", pooling, models::summary_names(),
           "how the states of a text become its vector: their mean, the largest of each feature, "
           "the last, the first, or the mean times the root of how many there are");
  list.add("normalised", normalised, "whether vectors have the length 1");
  list.add("temperature", temperature,
           "what cosines are divided by before softmax: the lower, the more the nearest wrong text "
           "of a batch counts")
      .above(0)
      .at_most(100);
  trainer.declare(list);
  draw.declare(list);
}

void EmbedOptions::apply_preset() {
  fill_in_encoder(*this);
  pipeline::apply_preset(*this, embed_presets());
}

void EmbedOptions::check() const {
  check_run();
  if (train.empty()) throw UsageError("--train: say which file has the pairs of texts");
  if (valid_fraction > 0 && !valid.empty()) {
    throw UsageError("validation data: give --valid or --valid-fraction, not both");
  }
  if (too_long == text::TooLong::split) {
    throw UsageError(
        "--too-long split: parts of two texts need not belong together; choose crop, skip or fail");
  }
  room().check(max_length);
}

models::EmbedderOptions EmbedOptions::model(std::int64_t tokens) const {
  return {.encoder = to_options(tokens), .pooling = pooling, .normalised = normalised};
}

std::span<const Preset> embed_presets() {
  return kEmbedPresets;
}

text::PairFiles embed_pairs(const std::string& file) {
  return {.source = file};
}

}  // namespace heed::pipeline
