// SPDX-License-Identifier: Apache-2.0
// Mentions of a name put between sentences of filler.
#include "heed/corpora/long_range/retrieval.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/long_range/filler.h"

namespace heed::corpora {
namespace {

// Each with five words beside the two of the name.
constexpr std::string_view kMentions[] = {
    "Everybody spoke of {} that evening.", "A letter from {} came late.",
    "Nobody had seen {} for weeks.",       "They asked {} for some advice.",
    "The house of {} was empty.",          "It was {} who had called."};
constexpr std::int64_t kMentionWords = 7;

std::string draw_document(Random& random, const std::string& name, std::int64_t filler,
                          std::int64_t mentions) {
  std::vector<std::string> sentences = draw_filler(random, filler);
  for (std::int64_t i = 0; i < mentions; ++i) {
    const std::int64_t place = pick_between(random, 0, std::ssize(sentences));
    sentences.insert(sentences.begin() + place,
                     fmt::format(fmt::runtime(pick(random, kMentions)), name));
  }
  return join(sentences, " ");
}

}  // namespace

Example draw_retrieval(Random& random, const RetrievalOptions& options) {
  const std::int64_t filler = options.words - options.mentions * kMentionWords;
  if (filler < kShortestFiller) {
    throw UsageError("retrieval: documents of {} words; with {} mention{} they take {}",
                     options.words, options.mentions, options.mentions == 1 ? "" : "s",
                     options.words - filler + kShortestFiller);
  }
  const auto name = [&] {
    return fmt::format("{} {}", make_name(random, options.part), make_name(random, options.part));
  };
  const bool match = options.turn % 2 == 0;
  const std::string first = name();
  std::string second = match ? first : name();
  while (!match && second == first) second = name();
  return {.source = draw_document(random, first, filler, options.mentions),
          .labels = {match ? "match" : "other"},
          .second = draw_document(random, second, filler, options.mentions)};
}

namespace {

const ListedCorpus kRetrieval(
    {.name = "retrieval",
     .description = "Pairs of documents: are they about the same person",
     .kind = CorpusKind::labelled,
     .size = 10'000,
     .units = "pairs",
     .min_length = 300,
     .max_length = 700,
     .aspects = "answer",
     .longest = 1'000'000,
     .settings = {{"mentions", 3, 1, 100, "of the person in each document"}}},
    [](Random& random, const CorpusDraw& draw) {
      return draw_retrieval(random,
                            {.words = pick_between(random, draw.lengths.min, draw.lengths.max),
                             .mentions = draw.settings[0],
                             .part = draw.part,
                             .turn = draw.turn});
    });

}  // namespace
}  // namespace heed::corpora
