// SPDX-License-Identifier: Apache-2.0
// Telling events until the answer that is asked for is true of somebody or something.
#include "heed/corpora/facts.h"

#include <fmt/format.h>

#include <map>

#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kPeople[] = {"Anna", "Ben", "Clara", "David", "Emma", "Frank"};
constexpr std::string_view kRooms[] = {"kitchen", "garden", "cellar", "attic", "hall", "library"};
constexpr std::string_view kContainers[] = {"box", "drawer", "basket", "bag", "chest", "cupboard"};
constexpr std::string_view kThings[] = {"key", "book", "lamp", "coin",
                                        "map", "cup",  "ring", "ball"};

enum class Asked { where_is_somebody, where_is_something, who_has_it };

// A passage: what it says, and what is true at its end.
struct Passage {
  std::vector<std::string> sentences = {};
  std::map<std::string_view, std::string_view> room_of = {};       // people
  std::map<std::string_view, std::string_view> container_of = {};  // things that lie
  std::map<std::string_view, std::string_view> owner_of = {};      // things that are held
};

template <typename Names>
std::vector<std::string_view> some_of(Random& random, const Names& names, std::size_t count) {
  std::vector<std::string_view> all(std::begin(names), std::end(names));
  random.shuffle(all);
  all.resize(count);
  return all;
}

Passage draw_passage(Random& random) {
  const auto people = some_of(random, kPeople, 3);
  const auto things = some_of(random, kThings, 2);
  Passage passage;
  const std::int64_t length = pick_between(random, 3, 8);
  const auto say = [&](std::string sentence) { passage.sentences.push_back(std::move(sentence)); };
  const auto holds = [&](std::string_view person, std::string_view thing) {
    passage.container_of.erase(thing);
    passage.owner_of[thing] = person;
  };
  for (std::int64_t i = 0; i < length; ++i) {
    const std::string_view person = pick(random, people), thing = pick(random, things);
    enum class Event { goes, takes, puts, gives };
    const Event event = pick_weighted<Event>(
        random, {{Event::goes, 4}, {Event::takes, 2}, {Event::puts, 3}, {Event::gives, 2}});
    if (event == Event::goes) {
      constexpr std::string_view kWays[] = {"went", "walked", "ran"};
      const std::string_view room = pick(random, kRooms);
      say(fmt::format("{} {} to the {}.", person, pick(random, kWays), room));
      passage.room_of[person] = room;
    } else if (event == Event::takes) {
      constexpr std::string_view kWays[] = {"took", "found", "picked up"};
      say(fmt::format("{} {} the {}.", person, pick(random, kWays), thing));
      holds(person, thing);
    } else if (event == Event::puts) {
      const std::string_view container = pick(random, kContainers);
      say(fmt::format("{} put the {} in the {}.", person, thing, container));
      passage.owner_of.erase(thing);
      passage.container_of[thing] = container;
    } else {
      const std::string_view other = pick(random, people);
      if (other == person) {
        --i;
        continue;
      }
      say(fmt::format("{} gave the {} to {}.", person, thing, other));
      holds(other, thing);
    }
  }
  return passage;
}

std::vector<std::string> questions_answered_by(const Passage& passage, Asked asked,
                                               std::string_view answer) {
  const auto& answers = asked == Asked::where_is_somebody    ? passage.room_of
                        : asked == Asked::where_is_something ? passage.container_of
                                                             : passage.owner_of;
  std::vector<std::string> questions;
  for (const auto& [name, value] : answers) {
    if (value != answer) continue;
    questions.push_back(asked == Asked::where_is_somebody ? fmt::format("Where is {}?", name)
                        : asked == Asked::where_is_something
                            ? fmt::format("Where is the {}?", name)
                            : fmt::format("Who has the {}?", name));
  }
  return questions;
}

}  // namespace

Example draw_fact(Random& random, std::int64_t turn) {
  const auto asked = static_cast<Asked>(turn % 3);
  const auto which = static_cast<std::size_t>(turn / 3 % 6);
  const std::string_view answer = asked == Asked::where_is_somebody    ? kRooms[which]
                                  : asked == Asked::where_is_something ? kContainers[which]
                                                                       : kPeople[which];
  for (;;) {
    const Passage passage = draw_passage(random);
    const auto questions = questions_answered_by(passage, asked, answer);
    if (questions.empty()) continue;
    return {.source = join(passage.sentences, " "),
            .labels = {std::string(answer)},
            .second = pick(random, questions)};
  }
}

namespace {

const ListedCorpus kFacts(
    {.name = "facts",
     .description = "Passages of who went where and took what, with a question",
     .kind = CorpusKind::labelled,
     .size = 20'000,
     .units = "questions",
     .aspects = "answer"},
    [](Random& random, const CorpusDraw& draw) { return draw_fact(random, draw.turn); });

}  // namespace
}  // namespace heed::corpora
