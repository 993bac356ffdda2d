// SPDX-License-Identifier: Apache-2.0
// The catalogue of corpora, and how a corpus is drawn: until there are enough distinct sources.
#include "heed/tasks/corpus.h"

#include <algorithm>
#include <unordered_set>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/tasks/dates.h"
#include "heed/tasks/phrases/draw.h"
#include "heed/tasks/sequences.h"

namespace heed::tasks {
namespace {

struct Lengths {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

using Draw = Example (*)(Random&, const Lengths&);

struct Entry {
  CorpusCard card;
  Draw draw;
};

template <SequenceTask task>
Example draw_letters(Random& random, const Lengths& lengths) {
  const auto range = static_cast<std::uint64_t>(lengths.max - lengths.min + 1);
  return draw_sequence(task, lengths.min + static_cast<std::int64_t>(random.integer(range)),
                       random);
}

Example draw_short(Random& random, const Lengths& lengths) {
  return phrases::draw_phrase(random, lengths.min, lengths.max);
}

Example draw_long(Random& random, const Lengths& lengths) {
  return phrases::draw_long_phrase(random, lengths.min, lengths.max);
}

Example draw_day(Random& random, const Lengths&) {
  return draw_date(random);
}

constexpr Entry kEntries[] = {
    {{"copy", "Letters to write again", "src", "tgt", 20'000, 5, 20},
     draw_letters<SequenceTask::copy>},
    {{"dates", "Dates as people write them, to be written as ISO 8601", "text", "iso", 20'000, 0,
      0},
     draw_day},
    {{"phrases", "English sentences and their French translations", "en", "fr", 50'000, 3, 25},
     draw_short},
    {{"phrases-long", "The same language in longer sentences, of several clauses", "en", "fr",
      5'000, 26, 50},
     draw_long},
    {{"reverse", "Letters to write backwards", "src", "tgt", 20'000, 5, 20},
     draw_letters<SequenceTask::reverse>},
    {{"sort", "Letters to put in the order of the alphabet", "src", "tgt", 20'000, 5, 20},
     draw_letters<SequenceTask::sort>},
};

const std::vector<CorpusCard>& cards() {
  static const std::vector<CorpusCard> all = [] {
    std::vector<CorpusCard> found;
    for (const Entry& entry : kEntries) found.push_back(entry.card);
    return found;
  }();
  return all;
}

const Entry& find_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    if (entry.card.name == name) return entry;
    names.emplace_back(entry.card.name);
  }
  throw UsageError("no corpus is called \"{}\"{}; there are {}", name, did_you_mean(name, names),
                   join(names, ", "));
}

Lengths lengths_of(const CorpusCard& card, const CorpusOptions& options) {
  if (card.max_length == 0 && (options.min_length != 0 || options.max_length != 0)) {
    throw UsageError("corpus {}: its sources have the lengths they have", card.name);
  }
  Lengths lengths{options.min_length != 0 ? options.min_length : card.min_length,
                  options.max_length != 0 ? options.max_length : card.max_length};
  // One limit alone moves the other out of its way.
  if (options.max_length == 0) lengths.max = std::max(lengths.max, lengths.min);
  if (options.min_length == 0) lengths.min = std::min(lengths.min, lengths.max);
  constexpr std::int64_t kLongest = 10'000;
  if (lengths.min < 0 || lengths.min > lengths.max || lengths.max > kLongest) {
    throw UsageError("corpus {}: lengths from {} to {}; they go from 1 to {}, the smaller first",
                     card.name, lengths.min, lengths.max, kLongest);
  }
  return lengths;
}

}  // namespace

std::span<const CorpusCard> corpora() {
  return cards();
}

const CorpusCard& find_corpus(std::string_view name) {
  return find_entry(name).card;
}

Corpus make_corpus(std::string_view name, const CorpusOptions& options) {
  const auto& [card, draw] = find_entry(name);
  const std::int64_t size = options.size != 0 ? options.size : card.size;
  if (size < 3) {
    throw UsageError("corpus {}: {} pairs; it takes at least 3, one for each part", name, size);
  }
  const Lengths lengths = lengths_of(card, options);
  const std::int64_t test = std::max<std::int64_t>(1, size / 25);
  const std::int64_t valid = std::max<std::int64_t>(1, size / 50);
  constexpr int kMostRepeats = 10'000;  // in a row, before the grammar counts as exhausted
  Random random(options.seed);
  Corpus corpus;
  std::unordered_set<std::string> seen;
  int repeats = 0;
  for (std::int64_t count = 0; count < size;) {
    Example example = draw(random, lengths);
    if (!seen.insert(example.source).second) {
      if (++repeats < kMostRepeats) continue;
      throw UsageError("corpus {}: {} pairs are asked for, but there are hardly more than {}", name,
                       size, count);
    }
    repeats = 0;
    auto& part = count < test ? corpus.test : count < test + valid ? corpus.valid : corpus.train;
    part.push_back(std::move(example));
    ++count;
  }
  return corpus;
}

}  // namespace heed::tasks
