// SPDX-License-Identifier: Apache-2.0
// Drawing until the length fits.
#include "heed/corpora/phrases/draw.h"

#include <algorithm>
#include <cstdlib>

#include "heed/base/error.h"
#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/phrases/grow.h"
#include "heed/corpora/phrases/grow_noun_phrase.h"
#include "heed/corpora/phrases/sentence.h"

namespace heed::corpora::phrases {
namespace {

constexpr int kMostAttempts = 20'000;
constexpr std::int64_t kNear = 2;  // words; meeting a length exactly took five times as long

std::int64_t length_of(const Example& example) {
  return 1 + std::ranges::count(example.source, ' ');
}

[[noreturn]] void refuse(std::int64_t min_length, std::int64_t max_length) {
  throw UsageError(
      "no sentence of {} to {} words was found in {} attempts; those of 3 to 25 words are common, "
      "the long ones go to 60: change --min-length or --max-length",
      min_length, max_length, kMostAttempts);
}

}  // namespace

Example draw_fitting(std::int64_t min_length, std::int64_t max_length,
                     const std::function<std::optional<Sentence>()>& grow) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::optional<Sentence> sentence = grow();
    if (!sentence) continue;
    Example example = write_sentence(*sentence);
    const std::int64_t length = length_of(example);
    if (length >= min_length && length <= max_length) return example;
  }
  refuse(min_length, max_length);
}

Example draw_phrase(Random& random, std::int64_t min_length, std::int64_t max_length) {
  return draw_fitting(min_length, max_length, [&] {
    const int clauses = pick_weighted<int>(random, {{1, 66}, {2, 27}, {3, 7}});
    return grow_sentence(random, {.clauses = clauses});
  });
}

Example draw_long_phrase(Random& random, std::int64_t min_length, std::int64_t max_length) {
  const auto range = static_cast<std::uint64_t>(max_length - min_length + 1);
  const std::int64_t wanted = min_length + static_cast<std::int64_t>(random.integer(range));
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    // A clause and its conjunction take about eight words.
    const auto clauses = static_cast<int>(std::max<std::int64_t>(1, (wanted + 4) / 8));
    Example example = write_sentence(grow_sentence(random, {.clauses = clauses}));
    const std::int64_t length = length_of(example);
    const bool near = std::abs(length - wanted) <= kNear;
    if (near && length >= min_length && length <= max_length) return example;
  }
  refuse(min_length, max_length);
}

namespace {

const ListedCorpus kPhrases({.name = "phrases",
                             .description = "English sentences and their French translations",
                             .size = 50'000,
                             .source_suffix = "en",
                             .target_suffix = "fr",
                             .min_length = 3,
                             .max_length = 25},
                            [](Random& random, const CorpusDraw& draw) {
                              return draw_phrase(random, draw.lengths.min, draw.lengths.max);
                            });

const ListedCorpus kLongPhrases(
    {.name = "phrases-long",
     .description = "The same language in longer sentences, of several clauses",
     .size = 5'000,
     .source_suffix = "en",
     .target_suffix = "fr",
     .min_length = 26,
     .max_length = 50},
    [](Random& random, const CorpusDraw& draw) {
      return draw_long_phrase(random, draw.lengths.min, draw.lengths.max);
    });

}  // namespace
}  // namespace heed::corpora::phrases
