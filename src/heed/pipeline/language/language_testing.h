// SPDX-License-Identifier: Apache-2.0
// A small text and options of language models that learn it in a second, for tests of pipelines.
#pragma once

#include <filesystem>
#include <string>

#include "heed/base/file.h"
#include "heed/base/random.h"
#include "heed/pipeline/language/language_options.h"

namespace heed::pipeline::testing {

// Lines of counted letters, "aaa" and "bb", each followed by the same again in capitals: what comes
// second is certain.
inline std::string doubled_lines(int count, std::uint64_t seed) {
  Random random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    const auto letter = static_cast<char>('a' + random.integer(3));
    const std::size_t length = 1 + random.integer(3);
    text += std::string(length, letter) + " " +
            std::string(length, static_cast<char>(letter - 'a' + 'A')) + "\n";
  }
  return text;
}

inline void set_small(LanguageOptions& options, const std::filesystem::path& folder,
                      LanguageModelKind model = LanguageModelKind::recurrent) {
  write_atomically(folder / "train.txt", doubled_lines(400, 1));
  write_atomically(folder / "valid.txt", doubled_lines(40, 2));
  options.out = (folder / "model").string();
  options.train = (folder / "train.txt").string();
  options.valid = (folder / "valid.txt").string();
  options.vocabulary.tokeniser = text::TokeniserKind::characters;
  options.model.model = model;
  options.model.stack.layers = 1;
  options.model.embedding = options.model.hidden = 16;
  options.model.stack.width = 16;
  options.model.stack.heads = 2;
  options.model.stack.inner = 32;
  options.model.stack.longest = 16;
  options.model.stack.positions = models::Positions::learned;
  options.model.stack.dropout = .05;
  options.tracks = 4;
  options.window = 12;
  options.threads = 1;
  options.sample_length = 10;
  options.trainer.max_updates = 30;
  options.trainer.validate_every = "15";
  options.trainer.save_every = "10";
  options.trainer.schedule.peak = .01;
  options.trainer.schedule.decay = training::Decay::constant;
}

}  // namespace heed::pipeline::testing
