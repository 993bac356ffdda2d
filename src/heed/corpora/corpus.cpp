// SPDX-License-Identifier: Apache-2.0
// The list of corpora, and how a corpus is drawn: until there are enough distinct examples.
#include "heed/corpora/corpus.h"

#include <algorithm>
#include <unordered_set>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/corpora/file_corpus.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

using Lengths = CorpusDraw::Lengths;

struct Entry {
  CorpusCard card;
  CorpusDraw::Function draw;
};

// A function-local static: it exists before the first corpus of any file lists itself.
std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}

const Entry& find_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.card.name == name) return entry;
    names.emplace_back(entry.card.name);
  }
  for (const FileCorpus& corpus : file_corpora()) names.push_back(corpus.name);
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
  if (lengths.min < 0 || lengths.min > lengths.max || lengths.max > card.longest) {
    throw UsageError("corpus {}: lengths from {} to {}; they go from 1 to {}, the smaller first",
                     card.name, lengths.min, lengths.max, card.longest);
  }
  return lengths;
}

// Draws one part after the other until there are enough distinct examples.
class Drawing {
 public:
  Drawing(const Entry& entry, const CorpusOptions& options)
      : entry_(entry),
        random_(options.seed),
        lengths_(lengths_of(entry.card, options)),
        settings_(chosen_settings(entry.card.name, entry.card.settings, options.settings)) {}

  std::vector<Example> part(Part part, std::int64_t size) {
    constexpr int kMostRepeats = 10'000;  // in a row, before the grammar counts as exhausted
    std::vector<Example> examples;
    int repeats = 0;
    while (static_cast<std::int64_t>(examples.size()) < size) {
      const auto turn = static_cast<std::int64_t>(examples.size());
      Example example = entry_.draw(random_, {lengths_, part, turn, settings_});
      if (seen_.insert(example.source + '\t' + example.second).second) {
        examples.push_back(std::move(example));
        repeats = 0;
      } else if (++repeats == kMostRepeats) {
        throw UsageError("corpus {}: more {} are asked for than the {} or so that there are",
                         entry_.card.name, entry_.card.units, seen_.size());
      }
    }
    // Labels are drawn in turns, which their order must not show.
    if (entry_.card.kind == CorpusKind::labelled) random_.shuffle(examples);
    return examples;
  }

 private:
  const Entry& entry_;
  Random random_;
  Lengths lengths_;
  std::vector<std::int64_t> settings_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

ListedCorpus::ListedCorpus(const CorpusCard& card, CorpusDraw::Function draw) {
  const auto place = std::ranges::lower_bound(entries(), card.name, {},
                                              [](const Entry& entry) { return entry.card.name; });
  entries().insert(place, {card, draw});
}

std::vector<CorpusCard> corpora() {
  std::vector<CorpusCard> cards;
  for (const Entry& entry : entries()) cards.push_back(entry.card);
  return cards;
}

const CorpusCard& find_corpus(std::string_view name) {
  return find_entry(name).card;
}

Corpus make_corpus(std::string_view name, const CorpusOptions& options) {
  const Entry& entry = find_entry(name);
  const std::int64_t size = options.size != 0 ? options.size : entry.card.size;
  if (size < 3) {
    throw UsageError("corpus {}: {} {}; it takes at least 3, one for each part", name, size,
                     entry.card.units);
  }
  const std::int64_t test = std::max<std::int64_t>(1, size / 25);
  const std::int64_t valid = std::max<std::int64_t>(1, size / 50);
  Drawing drawing(entry, options);
  Corpus corpus;
  corpus.test = drawing.part(Part::test, test);
  corpus.valid = drawing.part(Part::valid, valid);
  corpus.train = drawing.part(Part::train, size - test - valid);
  if (entry.card.far) corpus.far = drawing.part(Part::far, test);
  return corpus;
}

}  // namespace heed::corpora
