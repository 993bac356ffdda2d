// SPDX-License-Identifier: Apache-2.0
// Nouns and verbs of the phrases, put around a subject.
#include "heed/corpora/agreement.h"

#include <cctype>

#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/phrases/grow_noun_phrase.h"

namespace heed::corpora {
namespace {

using phrases::Number;

struct Named {
  std::string noun;
  Number number;
  bool living;
};

Named draw_noun(Random& random, Number number) {
  constexpr phrases::Kinds kLiving = phrases::kPerson | phrases::kAnimal;
  for (;;) {
    const phrases::Noun& noun = phrases::grow_noun(random, kLiving | phrases::kThing, false);
    if (noun.english.find(' ') != std::string_view::npos) continue;  // "washing machine"
    return {std::string(noun.english_form(number)), number, (noun.kinds & kLiving) != 0};
  }
}

Number toss(Random& random) {
  return chance(random, 0.5) ? Number::plural : Number::singular;
}

// A text that grows word by word, each with its part of speech and the place of the word it hangs
// on.
struct Parsed {
  std::vector<std::string> words{};
  std::vector<std::int32_t> heads{};
  std::vector<std::string> parts{};

  std::int32_t next() const { return static_cast<std::int32_t>(words.size()); }
  void add(std::string_view word, std::int32_t head, std::string_view part) {
    words.emplace_back(word);
    heads.push_back(head);
    parts.emplace_back(part);
  }
  // "the keys"
  void add_noun(const Named& named, std::int32_t head) {
    add("the", next() + 1, "det");
    add(named.noun, head, "noun");
  }
};

// "near the doors", "that the girls see", "that see the girls": one more noun after another, and
// all of it hangs on the subject.
void draw_distractor(Random& random, const Named& subject, std::int32_t head, Parsed& text) {
  const Named other = draw_noun(random, toss(random));
  constexpr std::string_view kPlaces[] = {"near", "behind", "beside", "with", "between", "under"};
  constexpr std::string_view kSeen[][2] = {
      {"sees", "see"}, {"likes", "like"}, {"follows", "follow"}, {"hears", "hear"}};
  const auto& verb = pick(random, kSeen);
  const auto form = [&](Number number) { return verb[number == Number::plural]; };
  if (other.living && chance(random, 0.4)) {
    const std::int32_t seen = text.next() + 3;
    text.add("that", seen, "rel");
    text.add_noun(other, seen);
    text.add(form(other.number), head, "verb");
    return;
  }
  if (subject.living && chance(random, 0.4)) {
    const std::int32_t seen = text.next() + 1;
    text.add("that", seen, "rel");
    text.add(form(subject.number), head, "verb");
    text.add_noun(other, seen);
    return;
  }
  std::string_view place = pick(random, kPlaces);
  if (place == "between" && other.number == Number::singular) place = "near";
  const std::int32_t where = text.next();
  text.add(place, head, "prep");
  text.add_noun(other, where);
}

}  // namespace

Example draw_agreement(Random& random, std::int64_t turn, std::int64_t distractors) {
  const Named subject = draw_noun(random, turn % 2 == 0 ? Number::singular : Number::plural);
  Parsed text;
  std::int32_t head = 1;  // where the subject is
  if (distractors > 0 && chance(random, 0.4)) {
    constexpr std::string_view kOpenings[] = {"behind", "near", "under", "beside"};
    Named other = draw_noun(random, toss(random));
    other.noun += ',';
    head = 4;
    text.add(pick(random, kOpenings), head, "prep");
    text.add_noun(other, 0);
    --distractors;
  }
  text.add_noun(subject, head);
  for (std::int64_t i = 0; i < distractors; ++i) draw_distractor(random, subject, head, text);
  char& first = text.words[0][0];
  first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
  return {.source = join(text.words, " "),
          .labels = {subject.number == Number::plural ? "plural" : "singular"},
          .heads = std::move(text.heads),
          .parts = std::move(text.parts)};
}

namespace {

// Nouns around the subject: what training shows, and what lies beyond.
constexpr std::int64_t kMostDistractors = 2;
constexpr std::int64_t kFarthestDistractors = 5;

const ListedCorpus kAgreement(
    {.name = "agreement",
     .description = "Beginnings of sentences, to be told singular or plural by their subject",
     .kind = CorpusKind::labelled,
     .size = 20'000,
     .units = "beginnings",
     .aspects = "number",
     .far = true},
    [](Random& random, const CorpusDraw& draw) {
      const bool far = draw.part == Part::far;
      const std::int64_t distractors =
          far ? pick_between(random, kMostDistractors + 1, kFarthestDistractors)
              : pick_between(random, 0, kMostDistractors);
      return draw_agreement(random, draw.turn, distractors);
    });

}  // namespace
}  // namespace heed::corpora
