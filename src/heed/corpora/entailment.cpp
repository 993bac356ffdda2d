// SPDX-License-Identifier: Apache-2.0
// A taxonomy, statements about numbers of its members, and judging by counting worlds.
#include "heed/corpora/entailment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "heed/base/error.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

struct Noun {
  std::string_view name;
  std::string_view plural;
  std::string_view above;  // the noun of which it is a kind; empty: none
};

constexpr Noun kNouns[] = {
    {"animal", "animals", ""},       {"dog", "dogs", "animal"},
    {"poodle", "poodles", "dog"},    {"terrier", "terriers", "dog"},
    {"bird", "birds", "animal"},     {"sparrow", "sparrows", "bird"},
    {"goose", "geese", "bird"},      {"horse", "horses", "animal"},
    {"person", "people", ""},        {"child", "children", "person"},
    {"boy", "boys", "child"},        {"girl", "girls", "child"},
    {"artist", "artists", "person"}, {"painter", "painters", "artist"},
    {"singer", "singers", "artist"}, {"doctor", "doctors", "person"},
};

constexpr std::string_view kWithObject[] = {"chasing", "watching", "following", "helping"};
constexpr std::string_view kAlone[] = {"sleeping", "running", "eating", "waiting"};

const Noun& find(std::string_view name) {
  const auto* const found = std::ranges::find(kNouns, name, &Noun::name);
  if (found == std::end(kNouns)) throw InternalError("entailment: no noun \"{}\"", name);
  return *found;
}

bool is_kind_of(std::string_view narrow, std::string_view wide) {
  for (std::string_view name = narrow; !name.empty(); name = find(name).above) {
    if (name == wide) return true;
  }
  return false;
}

// Whether whoever makes the narrow statement true makes the wide one true as well.
bool is_case_of(const Statement& narrow, const Statement& wide) {
  if (narrow.verb != wide.verb || narrow.object.empty() != wide.object.empty()) return false;
  return is_kind_of(narrow.subject, wide.subject) &&
         (narrow.object.empty() || is_kind_of(narrow.object, wide.object));
}

std::string with_article(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

Quantity draw_quantity(Random& random) {
  using Kind = Quantity::Kind;
  const Kind kind = pick_weighted<Kind>(random, {{Kind::some, 3},
                                                 {Kind::none, 3},
                                                 {Kind::exactly, 1},
                                                 {Kind::more_than, 1},
                                                 {Kind::fewer_than, 1}});
  if (kind == Kind::some || kind == Kind::none) return {kind};
  return {kind, static_cast<int>(pick_between(random, 2, 4))};
}

// Those that follow from another statement than themselves: "exactly" does not, and "more than
// four" would take a larger number.
Quantity draw_hypothesis_quantity(Random& random) {
  for (;;) {
    const Quantity quantity = draw_quantity(random);
    const bool largest = quantity.kind == Quantity::Kind::more_than && quantity.number == 4;
    if (quantity.kind != Quantity::Kind::exactly && !largest) return quantity;
  }
}

std::string_view draw_noun(Random& random) {
  return pick(random, kNouns).name;
}

Statement draw_statement(Random& random, const Quantity& quantity) {
  Statement statement{.quantity = quantity, .subject = draw_noun(random)};
  const bool alone = chance(random, 0.35);
  statement.verb = alone ? pick(random, kAlone) : pick(random, kWithObject);
  if (alone) return statement;
  do {
    statement.object = draw_noun(random);
  } while (is_kind_of(statement.object, statement.subject) ||
           is_kind_of(statement.subject, statement.object));
  return statement;
}

bool is_top(std::string_view noun) {
  return find(noun).above.empty();
}

Statement draw_hypothesis(Random& random) {
  for (;;) {
    const Statement statement = draw_statement(random, draw_hypothesis_quantity(random));
    // "No person is eating" follows from nothing wider.
    const bool widest =
        is_top(statement.subject) && (statement.object.empty() || is_top(statement.object));
    if (!widest || statement.quantity.kind != Quantity::Kind::none) return statement;
  }
}

// The noun, the one above it, one below it, or any.
std::string_view near(Random& random, std::string_view noun) {
  const double change = random.uniform();
  if (change < 0.4) return noun;
  if (change < 0.6) return find(noun).above.empty() ? noun : find(noun).above;
  if (change > 0.9) return draw_noun(random);
  std::vector<std::string_view> below;
  for (const Noun& entry : kNouns) {
    if (entry.above == noun) below.push_back(entry.name);
  }
  return below.empty() ? noun : pick(random, below);
}

// Another statement with the same words or words near them.
Statement draw_near(Random& random, const Statement& statement) {
  Statement other = statement;
  other.quantity = draw_quantity(random);
  other.subject = near(random, statement.subject);
  if (!statement.object.empty()) {
    other.object = near(random, statement.object);
    if (chance(random, 0.15)) std::swap(other.subject, other.object);
  }
  if (chance(random, 0.08)) {
    other.verb = statement.object.empty() ? pick(random, kAlone) : pick(random, kWithObject);
  }
  return other;
}

}  // namespace

bool Quantity::allows(int count) const {
  switch (kind) {
    case Kind::some:
      return count > 0;
    case Kind::none:
      return count == 0;
    case Kind::exactly:
      return count == number;
    case Kind::more_than:
      return count > number;
    case Kind::fewer_than:
      return count < number;
  }
  return false;
}

std::string write_statement(const Statement& statement) {
  using Kind = Quantity::Kind;
  constexpr std::string_view kNumbers[] = {"zero", "one", "two", "three", "four"};
  const auto& [kind, number] = statement.quantity;
  std::string text;
  if (kind == Kind::some || kind == Kind::none) {
    text = kind == Kind::some ? with_article(statement.subject)
                              : fmt::format("no {}", statement.subject);
    text += " is ";
  } else {
    const std::string_view how = kind == Kind::exactly     ? "exactly"
                                 : kind == Kind::more_than ? "more than"
                                                           : "fewer than";
    text = fmt::format("{} {} {} are ", how, kNumbers[number], find(statement.subject).plural);
  }
  text += statement.verb;
  if (!statement.object.empty()) text += ' ' + with_article(statement.object);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + '.';
}

Judgement judge(const Statement& premise, const Statement& hypothesis) {
  // A world is how many make both true, how many the premise only, how many the hypothesis only.
  // Numbers go to 4, so that counts to 6 show all differences.
  constexpr int kMost = 6;
  const bool inside = is_case_of(premise, hypothesis), around = is_case_of(hypothesis, premise);
  const int most_both = inside || around ? kMost : 0;
  const int most_premise_only = inside ? 0 : kMost;
  const int most_hypothesis_only = around ? 0 : kMost;
  bool can_hold = false, can_fail = false;
  for (int both = 0; both <= most_both; ++both) {
    for (int first = 0; first <= most_premise_only; ++first) {
      if (!premise.quantity.allows(both + first)) continue;
      for (int second = 0; second <= most_hypothesis_only; ++second) {
        (hypothesis.quantity.allows(both + second) ? can_hold : can_fail) = true;
      }
    }
  }
  if (can_hold && can_fail) return Judgement::neutral;
  return can_hold ? Judgement::entailment : Judgement::contradiction;
}

Example draw_entailment(Random& random, std::int64_t turn) {
  const auto wanted = static_cast<Judgement>(turn % 3);
  constexpr std::string_view kLabels[] = {"entailment", "contradiction", "neutral"};
  const Statement hypothesis = draw_hypothesis(random);
  const std::string second = write_statement(hypothesis);
  constexpr int kMostAttempts = 100'000;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const Statement premise = draw_near(random, hypothesis);
    if (judge(premise, hypothesis) != wanted) continue;
    std::string source = write_statement(premise);
    if (source == second) continue;
    return {.source = std::move(source),
            .labels = {std::string(kLabels[static_cast<std::size_t>(wanted)])},
            .second = second};
  }
  throw InternalError("entailment: no premise makes \"{}\" a case of {}", second,
                      kLabels[static_cast<std::size_t>(wanted)]);
}

namespace {

const ListedCorpus kEntailment(
    {.name = "entailment",
     .description = "Pairs of sentences: does the second follow, contradict, or neither",
     .kind = CorpusKind::labelled,
     .size = 30'000,
     .units = "pairs",
     .aspects = "judgement"},
    [](Random& random, const CorpusDraw& draw) { return draw_entailment(random, draw.turn); });

}  // namespace
}  // namespace heed::corpora
