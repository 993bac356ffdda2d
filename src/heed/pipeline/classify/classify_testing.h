// SPDX-License-Identifier: Apache-2.0
// Small labelled and plain corpora and options of trainings of seconds, for the tests of
// classifiers and masked words.
#pragma once

#include <filesystem>
#include <string>

#include "heed/base/file.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/masked/masked_options.h"

namespace heed::pipeline::testing {

// Six idle words, one of which an opinion replaces: "good<TAB>ba ki fine lu ba do". The place of
// the opinion goes to `evidence`.
struct Opinions {
  std::string lines;
  std::string evidence;
};

inline Opinions opinions(int count, std::uint64_t seed) {
  constexpr const char* kIdle[] = {"ba", "do", "ki", "lu", "me", "na"};
  constexpr const char* kGood[] = {"fine", "lovely"};
  constexpr const char* kBad[] = {"awful", "dirty"};
  Random random(seed);
  Opinions made;
  for (int i = 0; i < count; ++i) {
    const bool good = random.integer(2) == 1;
    const auto place = random.integer(6);
    std::string text;
    for (std::uint64_t w = 0; w < 6; ++w) {
      const char* opinion = (good ? kGood : kBad)[random.integer(2)];
      text += std::string(w == 0 ? "" : " ") + (w == place ? opinion : kIdle[random.integer(6)]);
    }
    made.lines += std::string(good ? "good" : "bad") + "\t" + text + "\n";
    made.evidence += std::to_string(place) + "\n";
  }
  return made;
}

// A classifier of these that trains in a second, its data in `folder`.
inline void set_small(ClassifyOptions& options, const std::filesystem::path& folder) {
  const Opinions valid = opinions(60, 2);
  write_atomically(folder / "train.tsv", opinions(400, 1).lines);
  write_atomically(folder / "valid.tsv", valid.lines);
  write_atomically(folder / "valid.evidence", valid.evidence);
  options.out = (folder / "model").string();
  options.train = (folder / "train.tsv").string();
  options.valid = (folder / "valid.tsv").string();
  options.threads = 1;
  options.embedding = 12;
  options.hidden = 8;
  options.stack.dropout = .1;
  options.batch_sentences = 20;
  options.trainer.max_updates = 30;
  options.trainer.validate_every = "15";
  options.trainer.save_every = "10";
  options.trainer.schedule.peak = .01;
}

// Pairs of words that belong together: "sun shines", "rain falls", ..., three to a line.
inline std::string word_pairs(int count, std::uint64_t seed) {
  constexpr const char* kPairs[] = {"sun shines", "rain falls", "wind blows", "bird sings"};
  Random random(seed);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    for (int p = 0; p < 3; ++p) lines += std::string(p == 0 ? "" : " ") + kPairs[random.integer(4)];
    lines += "\n";
  }
  return lines;
}

// A model of masked words of these, its text in `folder`.
inline void set_small(MaskedOptions& options, const std::filesystem::path& folder) {
  write_atomically(folder / "train.txt", word_pairs(300, 1));
  write_atomically(folder / "valid.txt", word_pairs(40, 2));
  options.out = (folder / "words").string();
  options.train = (folder / "train.txt").string();
  options.valid = (folder / "valid.txt").string();
  options.threads = 1;
  options.vocabulary.tokeniser = text::TokeniserKind::words;
  options.stack.width = 16;
  options.stack.heads = 2;
  options.stack.inner = 32;
  options.stack.layers = 1;
  options.stack.dropout = 0;
  options.batch_sentences = 20;
  options.trainer.max_updates = 30;
  options.trainer.validate_every = "15";
  options.trainer.save_every = "10";
  options.trainer.schedule.peak = .01;
  options.trainer.schedule.warm_up = 0;
  options.trainer.schedule.decay = training::Decay::constant;
}

inline void no_words(std::string_view) {}

}  // namespace heed::pipeline::testing
