// SPDX-License-Identifier: Apache-2.0
// People walk about and carry things; what is true after each sentence is known with its reasons.
#include "heed/corpora/fact_stories.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

using Word = std::string_view;

constexpr Word kWalkers[] = {"Alice", "Bruno", "Cecil", "Doris", "Edgar", "Freda"};
constexpr Word kFactRooms[] = {"kitchen", "garden", "cellar", "attic", "hall", "library"};
constexpr Word kCarried[] = {"key", "book", "lamp", "coin", "map", "cup"};
constexpr Word kNumbers[] = {"none", "one", "two", "three"};
constexpr Word kDirections[] = {"north", "south", "east", "west"};
constexpr Word kRelations[] = {"mother", "friend", "teacher", "neighbour", "doctor"};

struct StoryEnd {
  std::string question;
  std::string answer;
  std::vector<int> lines;  // that decide, from 1
};

std::string numbered_lines(const std::vector<std::string>& sentences, const StoryEnd& asked) {
  std::string text;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += fmt::format("{} {}\n", i + 1, sentences[i]);
  }
  text += fmt::format("{} {}\t{}", sentences.size() + 1, asked.question, asked.answer);
  return asked.lines.empty() ? text : text + fmt::format("\t{}", fmt::join(asked.lines, " "));
}

template <typename Words>
std::vector<Word> some_words(Random& random, const Words& words, std::size_t count) {
  std::vector<Word> all(std::begin(words), std::end(words));
  random.shuffle(all);
  all.resize(count);
  return all;
}

// What is true, and since which line.
struct KnownSince {
  Word what{};
  int line = 0;
};

// One place that a thing has been in, and who brought it there.
struct Stay {
  KnownSince room;
  Word carrier{};
};

class House {
 public:
  House(Random& random, std::size_t things)
      : random_(random),
        people_(some_words(random, kWalkers, 3)),
        things_(some_words(random, kCarried, things)) {}

  void go(Word person) {
    constexpr Word kWays[] = {"went to", "walked to", "moved to"};
    Word room = pick(random_, kFactRooms);
    while (room_of_.contains(person) && room_of_[person].what == room) {
      room = pick(random_, kFactRooms);
    }
    say(fmt::format("{} {} the {}.", person, pick(random_, kWays), room));
    room_of_[person] = {room, line()};
    for (const Word thing : things_) {
      if (carrier(thing) == person) stays_[thing].push_back({room_of_[person], person});
    }
  }

  // Whatever lies about may be taken by somebody whose room is known.
  void take(Word person) {
    constexpr Word kWays[] = {"took", "picked up", "grabbed"};
    const Word thing = pick(random_, things_);
    if (!room_of_.contains(person) || !carrier(thing).empty()) return go(person);
    say(fmt::format("{} {} the {}.", person, pick(random_, kWays), thing));
    held_[thing] = {person, line()};
    dropped_.erase(thing);
    stays_[thing] = {{room_of_[person], person}};
    hands_[person].push_back(line());
  }

  void drop(Word person) {
    const std::vector<Word> mine = things_of(person);
    if (mine.empty()) return take(person);
    const Word thing = pick(random_, mine);
    say(fmt::format("{} {} the {}.", person, chance(random_, .5) ? "dropped" : "put down", thing));
    held_.erase(thing);
    dropped_[thing] = {person, line()};
    where_dropped_[thing] = room_of_[person];
    hands_[person].push_back(line());
  }

  const std::vector<Word>& people() const { return people_; }
  const std::vector<Word>& things() const { return things_; }
  const std::vector<std::string>& sentences() const { return sentences_; }

  std::optional<KnownSince> room(Word person) const {
    const auto found = room_of_.find(person);
    return found == room_of_.end() ? std::nullopt : std::optional(found->second);
  }
  // In the order they were taken.
  std::vector<Word> things_of(Word person) const {
    std::vector<std::pair<int, Word>> mine;
    for (const auto& [thing, holder] : held_) {
      if (holder.what == person) mine.emplace_back(holder.line, thing);
    }
    std::ranges::sort(mine);
    std::vector<Word> things;
    for (const auto& [since, thing] : mine) things.push_back(thing);
    return things;
  }
  std::vector<int> hands(Word person) const {
    const auto found = hands_.find(person);
    return found == hands_.end() ? std::vector<int>() : found->second;
  }
  // Where a thing is: the line that took or dropped it, then that of the way to the room.
  std::optional<StoryEnd> where_is(Word thing) const {
    const std::string question = fmt::format("Where is the {}?", thing);
    if (const auto held = held_.find(thing); held != held_.end()) {
      const KnownSince room = room_of_.at(held->second.what);
      return StoryEnd{question, std::string(room.what), {held->second.line, room.line}};
    }
    const auto dropped = dropped_.find(thing);
    if (dropped == dropped_.end()) return std::nullopt;
    const KnownSince room = where_dropped_.at(thing);
    return StoryEnd{question, std::string(room.what), {dropped->second.line, room.line}};
  }
  // Where a thing was before it was carried to where it is.
  std::optional<StoryEnd> where_was(Word thing) const {
    const auto held = held_.find(thing);
    const auto stays = stays_.find(thing);
    if (held == held_.end() || stays == stays_.end() || stays->second.size() < 2) {
      return std::nullopt;
    }
    const KnownSince now = stays->second.back().room;
    const KnownSince before = stays->second[stays->second.size() - 2].room;
    return StoryEnd{fmt::format("Where was the {} before the {}?", thing, now.what),
                    std::string(before.what),
                    {held->second.line, now.line, before.line}};
  }

 private:
  int line() const { return static_cast<int>(sentences_.size()); }
  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }
  Word carrier(Word thing) const {
    const auto found = held_.find(thing);
    return found == held_.end() ? Word() : found->second.what;
  }

  Random& random_;
  std::vector<Word> people_, things_;
  std::vector<std::string> sentences_;
  std::map<Word, KnownSince> room_of_, held_, dropped_, where_dropped_;
  std::map<Word, std::vector<Stay>> stays_;
  std::map<Word, std::vector<int>> hands_;  // lines in which somebody took or dropped something
};

struct StoryPlot {
  std::size_t things = 1;
  std::int64_t shortest = 2, longest = 8;
  double walks = 1, takes = 0, drops = 0;  // weights
};

StoryPlot plot_of(FactTask task) {
  switch (task) {
    case FactTask::two:
      return {.things = 2, .shortest = 4, .longest = 14, .walks = 5, .takes = 3, .drops = 2};
    case FactTask::three:
      return {.things = 2, .shortest = 6, .longest = 18, .walks = 6, .takes = 3, .drops = 1};
    case FactTask::count:
    case FactTask::list:
      return {.things = 5, .shortest = 4, .longest = 14, .walks = 2, .takes = 5, .drops = 2};
    default:
      return {};
  }
}

House told_story(FactTask task, Random& random) {
  const StoryPlot plot = plot_of(task);
  House house(random, plot.things);
  const auto length = static_cast<std::size_t>(pick_between(random, plot.shortest, plot.longest));
  while (house.sentences().size() < length) {
    const Word person = pick(random, house.people());
    enum class Event { walks, takes, drops };
    switch (pick_weighted<Event>(
        random,
        {{Event::walks, plot.walks}, {Event::takes, plot.takes}, {Event::drops, plot.drops}})) {
      case Event::walks:
        house.go(person);
        break;
      case Event::takes:
        house.take(person);
        break;
      case Event::drops:
        house.drop(person);
        break;
    }
  }
  return house;
}

std::optional<StoryEnd> carried_by(const House& house, Word person, FactTask task) {
  const std::vector<Word> things = house.things_of(person);
  if (task == FactTask::list) {
    return StoryEnd{fmt::format("What does {} carry?", person),
                    things.empty() ? "nothing" : fmt::format("{}", fmt::join(things, ",")),
                    house.hands(person)};
  }
  if (things.size() >= std::size(kNumbers)) return std::nullopt;
  return StoryEnd{fmt::format("How many things does {} carry?", person),
                  std::string(kNumbers[things.size()]), house.hands(person)};
}

// All that the task may ask of this story.
std::vector<StoryEnd> ends_of(FactTask task, const House& house, Random& random) {
  std::vector<StoryEnd> all;
  const auto keep = [&](std::optional<StoryEnd> asked) {
    if (asked) all.push_back(std::move(*asked));
  };
  for (const Word person : house.people()) {
    const std::optional<KnownSince> room = house.room(person);
    if (!room) continue;
    if (task == FactTask::one) {
      keep(StoryEnd{fmt::format("Where is {}?", person), std::string(room->what), {room->line}});
    } else if (task == FactTask::yes_no) {
      const Word guess = chance(random, .5) ? room->what : pick(random, kFactRooms);
      keep(StoryEnd{fmt::format("Is {} in the {}?", person, guess),
                    guess == room->what ? "yes" : "no",
                    {room->line}});
    } else if (task == FactTask::count || task == FactTask::list) {
      keep(carried_by(house, person, task));
    }
  }
  for (const Word thing : house.things()) {
    if (task == FactTask::two) keep(house.where_is(thing));
    if (task == FactTask::three) keep(house.where_was(thing));
  }
  return all;
}

// The answer that is to be, so that all come as often; empty: any.
std::string answer_of_turn(FactTask task, std::int64_t turn) {
  const auto in_turn = [turn](const auto& words) {
    return std::string(words[static_cast<std::size_t>(turn) % std::size(words)]);
  };
  if (task == FactTask::count) return in_turn(kNumbers);
  if (task == FactTask::yes_no) return turn % 2 == 0 ? "yes" : "no";
  return task == FactTask::list ? "" : in_turn(kFactRooms);
}

// "The kitchen is north of the garden." asked from either side.
Example draw_places(Random& random) {
  const std::vector<Word> rooms = some_words(random, kFactRooms, 4);
  std::vector<std::string> sentences;
  std::vector<std::pair<Word, Word>> sides;
  std::vector<Word> directions;
  for (std::size_t i = 0; i + 1 < rooms.size(); ++i) {
    directions.push_back(pick(random, kDirections));
    sides.emplace_back(rooms[i], rooms[i + 1]);
    sentences.push_back(
        fmt::format("The {} is {} of the {}.", rooms[i], directions.back(), rooms[i + 1]));
  }
  const auto which = static_cast<std::size_t>(random.integer(sides.size()));
  const auto [first, second] = sides[which];
  const bool from_first = chance(random, .5);
  const StoryEnd asked{from_first ? fmt::format("What is the {} {} of?", first, directions[which])
                                  : fmt::format("What is {} of the {}?", directions[which], second),
                       std::string(from_first ? second : first),
                       {static_cast<int>(which) + 1}};
  return {.source = numbered_lines(sentences, asked)};
}

// Keys and values: who is what to whom, in both directions.
Example draw_relations(Random& random) {
  struct Fact {
    Word subject, relation, object;
    int line = 0;
  };
  const std::vector<Word> people = some_words(random, kWalkers, 5);
  std::vector<Fact> facts;
  for (const Word subject : people) {
    for (const Word relation : some_words(random, kRelations, 2)) {
      Word object = pick(random, people);
      while (object == subject) object = pick(random, people);
      facts.push_back({subject, relation, object});
    }
  }
  random.shuffle(facts);
  std::vector<std::string> sentences;
  for (Fact& fact : facts) {
    sentences.push_back(fmt::format("{} {} => {}", fact.subject, fact.relation, fact.object));
    fact.line = static_cast<int>(sentences.size());
    sentences.push_back(fmt::format("{} {}-of => {}", fact.object, fact.relation, fact.subject));
  }
  const Fact& first = pick(random, facts);
  if (chance(random, .5)) {
    return {.source = numbered_lines(
                sentences, {fmt::format("Who is the {} of {}?", first.relation, first.subject),
                            std::string(first.object),
                            {first.line}})};
  }
  std::vector<Fact> onwards;
  std::ranges::copy_if(facts, std::back_inserter(onwards),
                       [&](const Fact& fact) { return fact.subject == first.object; });
  const Fact& second = pick(random, onwards);
  return {.source = numbered_lines(sentences,
                                   {fmt::format("Who is the {} of the {} of {}?", second.relation,
                                                first.relation, first.subject),
                                    std::string(second.object),
                                    {first.line, second.line}})};
}

}  // namespace

Example draw_fact_story(FactTask task, Random& random, std::int64_t turn) {
  if (task == FactTask::places) return draw_places(random);
  if (task == FactTask::relations) return draw_relations(random);
  const std::string wanted = answer_of_turn(task, turn);
  for (;;) {
    const House house = told_story(task, random);
    std::vector<StoryEnd> questions = ends_of(task, house, random);
    std::erase_if(questions,
                  [&](const StoryEnd& asked) { return !wanted.empty() && asked.answer != wanted; });
    if (!questions.empty())
      return {.source = numbered_lines(house.sentences(), pick(random, questions))};
  }
}

namespace {

constexpr std::int64_t kStories = 5'000;

template <FactTask task>
Example drawn(Random& random, const CorpusDraw& draw) {
  return draw_fact_story(task, random, draw.turn);
}

template <FactTask task>
ListedCorpus listed_task(Word name, Word description) {
  return {{.name = name,
           .description = description,
           .kind = CorpusKind::text,
           .size = kStories,
           .units = "questions"},
          drawn<task>};
}

const ListedCorpus kFactTasks[] = {
    listed_task<FactTask::one>("facts-one", "Stories that ask where somebody is: one fact decides"),
    listed_task<FactTask::two>("facts-two",
                               "Stories that ask where something is: two facts decide"),
    listed_task<FactTask::three>("facts-three",
                                 "Stories that ask where something was before: three facts decide"),
    listed_task<FactTask::count>("facts-count",
                                 "Stories that ask how many things somebody carries"),
    listed_task<FactTask::list>("facts-list", "Stories that ask what somebody carries"),
    listed_task<FactTask::yes_no>("facts-yes-no", "Stories that ask whether somebody is in a room"),
    listed_task<FactTask::places>("facts-places",
                                  "Stories that ask what lies on which side of what"),
    listed_task<FactTask::relations>(
        "facts-relations", "Facts as keys and values, and questions of one and two steps")};

}  // namespace
}  // namespace heed::corpora
