// SPDX-License-Identifier: Apache-2.0
// The catalogue of corpora, and how a corpus is drawn: until there are enough distinct
// examples.
#include "heed/corpora/corpus.h"

#include <algorithm>
#include <unordered_set>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/corpora/agreement.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/dates.h"
#include "heed/corpora/entailment.h"
#include "heed/corpora/facts.h"
#include "heed/corpora/made_names.h"
#include "heed/corpora/phrases/documents.h"
#include "heed/corpora/phrases/draw.h"
#include "heed/corpora/phrases/names.h"
#include "heed/corpora/reviews.h"
#include "heed/corpora/sequences.h"
#include "heed/corpora/stories.h"

namespace heed::corpora {
namespace {

struct Lengths {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

// What the next example is to be. The turn counts the examples of a part, so that what depends on
// it alone is balanced.
struct Request {
  Lengths lengths = {};
  Part part = Part::train;
  std::int64_t turn = 0;
};

using Draw = Example (*)(Random&, const Request&);

struct Entry {
  CorpusCard card;
  Draw draw;
};

template <SequenceTask task>
Example draw_letters(Random& random, const Request& request) {
  return draw_sequence(task, pick_between(random, request.lengths.min, request.lengths.max),
                       random);
}

constexpr CorpusCard letters(std::string_view name, std::string_view description) {
  return {.name = name,
          .description = description,
          .size = 20'000,
          .source_suffix = "src",
          .target_suffix = "tgt",
          .min_length = 5,
          .max_length = 20};
}

// Nouns around the subject: what training shows, and what lies beyond.
constexpr std::int64_t kMostDistractors = 2;
constexpr std::int64_t kFarthestDistractors = 5;

constexpr Entry kEntries[] = {
    {{.name = "agreement",
      .description = "Beginnings of sentences, to be told singular or plural by their subject",
      .kind = CorpusKind::labelled,
      .size = 20'000,
      .units = "beginnings",
      .aspects = "number",
      .far = true},
     [](Random& random, const Request& request) {
       const bool far = request.part == Part::far;
       const std::int64_t distractors =
           far ? pick_between(random, kMostDistractors + 1, kFarthestDistractors)
               : pick_between(random, 0, kMostDistractors);
       return draw_agreement(random, request.turn, distractors);
     }},
    {letters("copy", "Letters to write again"), draw_letters<SequenceTask::copy>},
    {{.name = "dates",
      .description = "Dates as people write them, to be written as ISO 8601",
      .size = 20'000,
      .source_suffix = "text",
      .target_suffix = "iso"},
     [](Random& random, const Request&) { return draw_date(random); }},
    {{.name = "documents",
      .description = "Short documents whose pronouns need the sentence before, and their French",
      .size = 20'000,
      .units = "documents",
      .source_suffix = "en",
      .target_suffix = "fr"},
     [](Random& random, const Request&) { return phrases::draw_document(random); }},
    {{.name = "entailment",
      .description = "Pairs of sentences: does the second follow, contradict, or neither",
      .kind = CorpusKind::labelled,
      .size = 30'000,
      .units = "pairs",
      .aspects = "judgement"},
     [](Random& random, const Request& request) { return draw_entailment(random, request.turn); }},
    {{.name = "facts",
      .description = "Passages of who went where and took what, with a question",
      .kind = CorpusKind::labelled,
      .size = 20'000,
      .units = "questions",
      .aspects = "answer"},
     [](Random& random, const Request& request) { return draw_fact(random, request.turn); }},
    {{.name = "names",
      .description = "Phrases with names; those of the test do not occur in training",
      .size = 30'000,
      .source_suffix = "en",
      .target_suffix = "fr",
      .min_length = 3,
      .max_length = 20},
     [](Random& random, const Request& request) {
       return phrases::draw_named_phrase(random, request.part, request.lengths.min,
                                         request.lengths.max);
     }},
    {{.name = "phrases",
      .description = "English sentences and their French translations",
      .size = 50'000,
      .source_suffix = "en",
      .target_suffix = "fr",
      .min_length = 3,
      .max_length = 25},
     [](Random& random, const Request& request) {
       return phrases::draw_phrase(random, request.lengths.min, request.lengths.max);
     }},
    {{.name = "phrases-long",
      .description = "The same language in longer sentences, of several clauses",
      .size = 5'000,
      .source_suffix = "en",
      .target_suffix = "fr",
      .min_length = 26,
      .max_length = 50},
     [](Random& random, const Request& request) {
       return phrases::draw_long_phrase(random, request.lengths.min, request.lengths.max);
     }},
    {letters("reverse", "Letters to write backwards"), draw_letters<SequenceTask::reverse>},
    {{.name = "reviews",
      .description = "Hotel reviews with opinions on location, cleanliness and service",
      .kind = CorpusKind::labelled,
      .size = 10'000,
      .units = "reviews",
      .aspects = "location,cleanliness,service"},
     [](Random& random, const Request& request) { return draw_review(random, request.turn); }},
    {letters("sort", "Letters to put in the order of the alphabet"),
     draw_letters<SequenceTask::sort>},
    {{.name = "stories",
      .description = "Little stories in which names recur",
      .kind = CorpusKind::text,
      .size = 4'000,
      .units = "stories"},
     [](Random& random, const Request& request) { return draw_story(random, request.part); }},
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

// Draws one part after the other until there are enough distinct examples.
class Drawing {
 public:
  Drawing(const Entry& entry, const CorpusOptions& options)
      : entry_(entry), random_(options.seed), lengths_(lengths_of(entry.card, options)) {}

  std::vector<Example> part(Part part, std::int64_t size) {
    constexpr int kMostRepeats = 10'000;  // in a row, before the grammar counts as exhausted
    std::vector<Example> examples;
    int repeats = 0;
    while (static_cast<std::int64_t>(examples.size()) < size) {
      const auto turn = static_cast<std::int64_t>(examples.size());
      Example example = entry_.draw(random_, {lengths_, part, turn});
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
  std::unordered_set<std::string> seen_;
};

}  // namespace

std::span<const CorpusCard> corpora() {
  return cards();
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
