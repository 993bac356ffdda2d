// SPDX-License-Identifier: Apache-2.0
// Giving names to noun phrases, wherever they are in the tree.
#include "heed/corpora/phrases/names.h"

#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/phrases/draw.h"
#include "heed/corpora/phrases/grow.h"
#include "heed/corpora/phrases/grow_noun_phrase.h"

namespace heed::corpora::phrases {
namespace {

class Namer {
 public:
  Namer(Random& random, Part part) : random_(random), part_(part) {}

  int given() const { return given_; }

  void visit(Clause& clause) {
    visit(clause.subject);
    if (clause.object) visit(*clause.object);
    if (clause.recipient) visit(*clause.recipient);
    if (clause.than) visit(*clause.than);
    if (clause.that) clause.that = changed(*clause.that);
  }

 private:
  static bool can_be_named(const NounPhrase& phrase) {
    if (phrase.noun == nullptr || (phrase.noun->kinds & kPerson) == 0) return false;
    const bool definite = phrase.determiner == Determiner::the ||
                          (phrase.determiner >= Determiner::my &&  // to Determiner::their
                           phrase.determiner <= Determiner::their);
    return definite && phrase.number == Number::singular;
  }

  void visit(NounPhrase& phrase) {
    if (can_be_named(phrase)) {
      phrase.name = make_name(random_, part_);
      ++given_;
    }
    if (phrase.owner) phrase.owner = changed(*phrase.owner);
    if (phrase.relative) phrase.relative = changed(*phrase.relative);
    if (phrase.joined) phrase.joined = changed(*phrase.joined);
  }

  // Trees share their branches, so a changed branch is a new one.
  template <typename Branch>
  std::shared_ptr<const Branch> changed(const Branch& branch) {
    auto copy = std::make_shared<Branch>(branch);
    visit(*copy);
    return copy;
  }

  Random& random_;
  Part part_;
  int given_ = 0;
};

}  // namespace

int name_people(Sentence& sentence, Random& random, Part part) {
  Namer namer(random, part);
  for (Clause& clause : sentence.clauses) namer.visit(clause);
  return namer.given();
}

Example draw_named_phrase(Random& random, Part part, std::int64_t min_length,
                          std::int64_t max_length) {
  return draw_fitting(min_length, max_length, [&]() -> std::optional<Sentence> {
    Sentence sentence = grow_sentence(random, {.clauses = chance(random, 0.75) ? 1 : 2});
    if (name_people(sentence, random, part) == 0) return {};
    return sentence;
  });
}

namespace {

const ListedCorpus kNames(
    {.name = "names",
     .description = "Phrases with names; those of the test do not occur in training",
     .size = 30'000,
     .source_suffix = "en",
     .target_suffix = "fr",
     .min_length = 3,
     .max_length = 20},
    [](Random& random, const CorpusDraw& draw) {
      return draw_named_phrase(random, draw.part, draw.lengths.min, draw.lengths.max);
    });

}  // namespace
}  // namespace heed::corpora::phrases
