// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of the options of masked words.
#include "heed/pipeline/masked/masked_options.h"

#include <array>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 2> kMaskedPresets = {{
    {"tiny", R"(
width = 128
heads = 4
inner = 512
layers = 2
learning-rate = 0.001
warm-up = 200
)"},
    {"small", R"(
width = 256
heads = 8
inner = 1024
layers = 4
learning-rate = 0.0007
warm-up = 1000
)"},
}};

}  // namespace

MaskedOptions::MaskedOptions() {
  encoder = models::TextEncoderKind::transformer;
  stack.layers = 2;
  max_length = 256;
  too_long = text::TooLong::crop;
  trainer.clip_norm = 1;
  trainer.schedule.decay = training::Decay::inverse_square_root;
  trainer.schedule.warm_up = 500;
  declare_run(masked_presets());
  list.section("Data");
  list.add("train", train, "training text, one sentence or paragraph per line (or gz)")
      .kind("FILE")
      .required();
  list.add("valid", valid, "validation text, likewise").kind("FILE");
  list.add("valid-fraction", valid_fraction,
           "without a validation file: the share of training lines held out as one")
      .at_least(0)
      .below(1);
  list.add("fold", fold, "which part of that size is held out, from 0; --folds goes through them")
      .at_least(0);
  declare_stream(list);
  vocabulary.declare(list);
  declare_encoder(list);
  list.section("Masking");
  list.add("mask-share", mask_share, "share of tokens (or words) that are to be guessed")
      .above(0)
      .at_most(1);
  list.add("mask-hidden", mask_hidden, "share of these that are hidden").range(0, 1);
  list.add("mask-replaced", mask_replaced,
           "share of these that a random piece replaces; the rest stay as they are")
      .range(0, 1);
  list.add("whole-words", whole_words, "mask all tokens of a word together");
  trainer.declare(list);
  draw.declare(list);
}

void MaskedOptions::apply_preset() {
  fill_in_encoder(*this);
  pipeline::apply_preset(*this, masked_presets());
}

void MaskedOptions::check() const {
  check_run();
  if (train.empty()) throw UsageError("--train: say which file has the training text");
  if (valid_fraction > 0 && !valid.empty()) {
    throw UsageError("validation data: give --valid or --valid-fraction, not both");
  }
  if (too_long == text::TooLong::split) {
    throw UsageError("--too-long split: lines of one text are not cut; choose crop, skip or fail");
  }
  if (mask_hidden + mask_replaced > 1) {
    throw UsageError("--mask-hidden {} and --mask-replaced {}: together they are at most 1",
                     mask_hidden, mask_replaced);
  }
  room().check(max_length);
}

text::MaskingOptions MaskedOptions::masking(text::Token mask) const {
  return {.share = mask_share,
          .hidden = mask_hidden,
          .replaced = mask_replaced,
          .whole_words = whole_words,
          .seed = trainer.seed,
          .mask = mask};
}

std::span<const Preset> masked_presets() {
  return kMaskedPresets;
}

}  // namespace heed::pipeline
