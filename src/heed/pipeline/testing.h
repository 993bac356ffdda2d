// SPDX-License-Identifier: Apache-2.0
// A small corpus, options and trained folder for the tests of pipelines.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "heed/base/file.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/pipeline/translate/translation_options.h"

namespace heed::pipeline::testing {

// Sentences of letters and the same in capitals, backwards: "a b c" -> "C B A".
struct Lines {
  std::string source;
  std::string target;
};

inline Lines reversed_lines(int count, std::uint64_t seed) {
  Random random(seed);
  Lines lines;
  for (int i = 0; i < count; ++i) {
    const int length = 1 + static_cast<int>(random.integer(5));
    std::string source;
    std::string target;
    for (int j = 0; j < length; ++j) {
      const char letter = static_cast<char>('a' + random.integer(6));
      source += std::string(j == 0 ? "" : " ") + letter;
      target = std::string(1, static_cast<char>(letter - 'a' + 'A')) + (j == 0 ? "" : " ") + target;
    }
    lines.source += source + "\n";
    lines.target += target + "\n";
  }
  return lines;
}

// Options of a translator of these that trains in a second, its data in `folder`.
inline void set_small(TranslationOptions& options, const std::filesystem::path& folder,
                      const std::string& model = "seq2seq") {
  const Lines train = reversed_lines(400, 1);
  const Lines valid = reversed_lines(20, 2);
  write_atomically(folder / "train.src", train.source);
  write_atomically(folder / "train.tgt", train.target);
  write_atomically(folder / "valid.src", valid.source);
  write_atomically(folder / "valid.tgt", valid.target);
  options.out = (folder / "model").string();
  options.train_source = (folder / "train.src").string();
  options.train_target = (folder / "train.tgt").string();
  options.valid_source = (folder / "valid.src").string();
  options.valid_target = (folder / "valid.tgt").string();
  options.vocabulary.tokeniser = text::TokeniserKind::words;
  options.model.model = model;
  options.model.embedding = options.model.hidden = 24;
  options.model.stack.width = 16;
  options.model.stack.heads = 2;
  options.model.stack.inner = 32;
  options.model.encoder_layers = options.model.decoder_layers = 1;
  options.model.stack.dropout = .1;
  options.model.tie = models::Tie::none;
  options.batch_tokens = 200;
  options.label_smoothing = 0;
  options.trainer.max_updates = 30;
  options.trainer.validate_every = "15";
  options.trainer.save_every = "10";
  options.trainer.schedule.peak = .01;
  options.trainer.schedule.decay = training::Decay::constant;
}

inline void silent(std::string_view) {}

}  // namespace heed::pipeline::testing
