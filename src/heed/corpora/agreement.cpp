// SPDX-License-Identifier: Apache-2.0
// Nouns and verbs of the phrases, put around a subject.
#include "heed/corpora/agreement.h"

#include <fmt/format.h>

#include <cctype>

#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"
#include "heed/corpora/phrases/grow_noun_phrase.h"

namespace heed::corpora {
namespace {

using phrases::Number;

struct Named {
  std::string text;  // "the keys"
  Number number;
  bool living;
};

Named draw_noun(Random& random, Number number) {
  constexpr phrases::Kinds kLiving = phrases::kPerson | phrases::kAnimal;
  for (;;) {
    const phrases::Noun& noun = phrases::grow_noun(random, kLiving | phrases::kThing, false);
    if (noun.english.find(' ') != std::string_view::npos) continue;  // "washing machine"
    return {fmt::format("the {}", noun.english_form(number)), number, (noun.kinds & kLiving) != 0};
  }
}

Number toss(Random& random) {
  return chance(random, 0.5) ? Number::plural : Number::singular;
}

// "near the doors", "that the girls see", "who see the girls": one more noun after another.
std::string draw_distractor(Random& random, const Named& behind) {
  const Named other = draw_noun(random, toss(random));
  constexpr std::string_view kPlaces[] = {"near", "behind", "beside", "with", "between", "under"};
  constexpr std::string_view kSeen[][2] = {
      {"sees", "see"}, {"likes", "like"}, {"follows", "follow"}, {"hears", "hear"}};
  const auto& verb = pick(random, kSeen);
  const auto form = [&](Number number) { return verb[number == Number::plural]; };
  if (other.living && chance(random, 0.4)) {
    return fmt::format("that {} {}", other.text, form(other.number));
  }
  if (behind.living && chance(random, 0.4)) {
    return fmt::format("that {} {}", form(behind.number), other.text);
  }
  std::string_view place = pick(random, kPlaces);
  if (place == "between" && other.number == Number::singular) place = "near";
  return fmt::format("{} {}", place, other.text);
}

}  // namespace

Example draw_agreement(Random& random, std::int64_t turn, std::int64_t distractors) {
  const Named subject = draw_noun(random, turn % 2 == 0 ? Number::singular : Number::plural);
  std::string text = subject.text;
  std::string before;
  if (distractors > 0 && chance(random, 0.4)) {
    constexpr std::string_view kOpenings[] = {"behind", "near", "under", "beside"};
    before = fmt::format("{} {}, ", pick(random, kOpenings), draw_noun(random, toss(random)).text);
    --distractors;
  }
  for (std::int64_t i = 0; i < distractors; ++i) text += ' ' + draw_distractor(random, subject);
  text = before + text;
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return {.source = std::move(text),
          .labels = {subject.number == Number::plural ? "plural" : "singular"}};
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
