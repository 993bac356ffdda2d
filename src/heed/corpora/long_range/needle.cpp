// SPDX-License-Identifier: Apache-2.0
// Facts put between sentences of filler.
#include "heed/corpora/long_range/needle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/long_range/filler.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kKeyHolders[] = {"Anna",   "Ben",   "Clara", "David", "Emma", "Felix",
                                            "Greta",  "Henry", "Ida",   "Jonas", "Kira", "Lukas",
                                            "Marian", "Nora",  "Oscar", "Paula"};
constexpr std::int64_t kNeedleFactWords = 6, kNeedleQuestionWords = 7;

std::int64_t needle_words(std::string_view sentence) {
  return 1 + std::ranges::count(sentence, ' ');
}

}  // namespace

Example draw_needle(Random& random, const NeedleOptions& options) {
  const std::int64_t filler =
      options.words - options.facts * kNeedleFactWords - kNeedleQuestionWords;
  if (filler < kShortestFiller) {
    throw UsageError("needle: a text of {} words; with {} fact{} and the question it takes {}",
                     options.words, options.facts, options.facts == 1 ? "" : "s",
                     options.words - filler + kShortestFiller);
  }
  std::vector<std::string_view> names(std::begin(kKeyHolders), std::end(kKeyHolders));
  random.shuffle(names);
  std::vector<std::string> sentences = draw_filler(random, filler);
  const std::int64_t room = std::ssize(sentences) * options.within / 100;
  // Sentences before each fact, in order; the one that is asked for is any of them.
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < options.facts; ++i) places.push_back(pick_between(random, 0, room));
  std::ranges::sort(places);
  const std::int64_t asked = pick_between(random, 0, options.facts - 1);
  const auto right = static_cast<std::size_t>(options.turn) % std::size(kColours);
  Example example{.labels = {std::string(kColours[right])}, .evidence = {{}}};
  // From the last on, so that places before stay what they are.
  for (std::int64_t i = options.facts; i-- > 0;) {
    const auto which = static_cast<std::size_t>(i);
    const std::string_view colour = i == asked ? kColours[right] : pick(random, kColours);
    sentences.insert(sentences.begin() + places[which],
                     fmt::format("The key of {} is {}.", names[which], colour));
  }
  std::int64_t before = 0;
  const std::int64_t at = places[static_cast<std::size_t>(asked)] + asked;
  for (std::int64_t i = 0; i < at; ++i)
    before += needle_words(sentences[static_cast<std::size_t>(i)]);
  for (std::int64_t i = 0; i < kNeedleFactWords; ++i) {
    example.evidence[0].push_back(static_cast<int>(before + i));
  }
  sentences.push_back(
      fmt::format("What colour is the key of {}?", names[static_cast<std::size_t>(asked)]));
  example.source = join(sentences, " ");
  return example;
}

namespace {

const std::vector<CorpusSetting> kNeedleSettings{
    {"keys", 1, 1, kMostNeedles, "of as many people, one of whom is asked about"},
    {"within", 100, 0, 100, "percent of the text, from its beginning, in which the facts lie"}};

constexpr std::string_view kNeedleUnits = "texts";

Example draw_listed_needle(Random& random, const CorpusDraw& draw) {
  return draw_needle(random, {.words = pick_between(random, draw.lengths.min, draw.lengths.max),
                              .facts = draw.settings[0],
                              .within = draw.settings[1],
                              .turn = draw.turn});
}

const ListedCorpus kNeedle({.name = "needle",
                            .description = "Long texts with one fact in them, asked for at the end",
                            .kind = CorpusKind::labelled,
                            .size = 10'000,
                            .units = kNeedleUnits,
                            .min_length = 200,
                            .max_length = 800,
                            .aspects = "colour",
                            .longest = 1'000'000,
                            .settings = kNeedleSettings},
                           draw_listed_needle);

// For language models: the answer is the last word.
const ListedCorpus kNeedleText(
    {.name = "needle-text",
     .description = "The same as running text, the answer behind the question",
     .kind = CorpusKind::text,
     .size = 10'000,
     .units = kNeedleUnits,
     .min_length = 200,
     .max_length = 800,
     .longest = 1'000'000,
     .settings = kNeedleSettings},
    [](Random& random, const CorpusDraw& wanted) {
      Example example = draw_listed_needle(random, wanted);
      std::string answer = std::move(example.labels[0]);
      answer[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(answer[0])));
      return Example{.source = fmt::format("{} {}.", example.source, answer)};
    });

}  // namespace
}  // namespace heed::corpora
