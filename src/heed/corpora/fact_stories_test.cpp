// SPDX-License-Identifier: Apache-2.0
// Answers of stories found again by reading the sentences, in another way than they were made.
#include "heed/corpora/fact_stories.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/text/stories.h"

namespace heed::corpora {
namespace {

using Words = std::vector<std::string>;

text::Story story_of(const Example& example) {
  const test::TemporaryFolder folder;
  test::put(folder / "story", example.source + "\n");
  return text::read_stories(folder / "story").at(0);
}

Words words_in(const std::string& sentence) {
  Words words;
  const std::string plain = text::plain_words(sentence);
  for (const std::string_view word : split(plain, ' ')) words.emplace_back(word);
  return words;
}

bool moves(const Words& words) {
  return words[2] == "to";
}
bool takes(const Words& words) {
  return words[1] == "took" || words[1] == "grabbed" || words[1] == "picked";
}

// Reads a story from its end: the last way of somebody before line `end`.
std::string last_room(const text::Story& story, const std::string& person, std::size_t end) {
  for (std::size_t i = end; i-- > 0;) {
    const Words words = words_in(story.sentences[i].text);
    if (words[0] == person && moves(words)) return words.back();
  }
  return "";
}

// The things that somebody holds after all sentences, in the order they were taken.
Words carried(const text::Story& story, const std::string& person) {
  Words things;
  for (const text::StorySentence& sentence : story.sentences) {
    const Words words = words_in(sentence.text);
    if (words[0] != person || moves(words)) continue;
    if (takes(words)) {
      things.push_back(words.back());
    } else {
      std::erase(things, words.back());
    }
  }
  return things;
}

// Rooms that a thing was in since it was taken up last, the latest first.
Words rooms_of_thing(const text::Story& story, const std::string& thing) {
  Words rooms;
  for (std::size_t i = story.sentences.size(); i-- > 0;) {
    const Words words = words_in(story.sentences[i].text);
    if (moves(words) || words.back() != thing) continue;
    const std::string person = words[0];
    if (takes(words)) {
      for (std::size_t j = story.sentences.size(); j-- > i;) {
        const Words later = words_in(story.sentences[j].text);
        if (later[0] == person && moves(later)) rooms.push_back(later.back());
      }
    }
    rooms.push_back(last_room(story, person, i));
    return rooms;
  }
  return rooms;
}

std::string answer_again(FactTask task, const text::Story& story) {
  const Words question = words_in(story.questions[0].text);
  switch (task) {
    case FactTask::one:
      return last_room(story, question.back(), story.sentences.size());
    case FactTask::yes_no:
      return last_room(story, question[1], story.sentences.size()) == question.back() ? "yes"
                                                                                      : "no";
    case FactTask::two:
      return rooms_of_thing(story, question.back()).at(0);
    case FactTask::three:
      return rooms_of_thing(story, question[3]).at(1);
    case FactTask::count:
      return Words{"none", "one", "two", "three"}.at(carried(story, question[4]).size());
    case FactTask::list: {
      const Words things = carried(story, question[2]);
      return things.empty() ? "nothing" : join(things, ",");
    }
    case FactTask::places:
      for (const text::StorySentence& sentence : story.sentences) {
        const Words words = words_in(sentence.text);  // the A is north of the B
        const bool first = question[2] == "the";
        const std::string& direction = first ? question[4] : question[2];
        if (words[3] != direction) continue;
        if (first && words[1] == question[3]) return words.back();
        if (!first && words.back() == question.back()) return words[1];
      }
      return "";
    case FactTask::relations: {
      std::string person = question.back();
      for (std::size_t i = question.size() - 3; i >= 3; i -= 3) {
        for (const text::StorySentence& sentence : story.sentences) {
          const Words words = words_in(sentence.text);  // a mother => b
          if (words[0] != person || words[1] != question[i]) continue;
          person = words.back();
          break;
        }
      }
      return person;
    }
  }
  return "";
}

constexpr FactTask kAllTasks[] = {FactTask::one,    FactTask::two,      FactTask::three,
                                  FactTask::count,  FactTask::list,     FactTask::yes_no,
                                  FactTask::places, FactTask::relations};

TEST(FactStories, HaveTheAnswerThatTheirSentencesGive) {
  for (const FactTask task : kAllTasks) {
    Random random(1);
    for (int turn = 0; turn < 200; ++turn) {
      const Example example = draw_fact_story(task, random, turn);
      const text::Story story = story_of(example);
      ASSERT_EQ(answer_again(task, story), text::plain_words(story.questions[0].answer))
          << example.source;
    }
  }
}

TEST(FactStories, NameAsManyFactsAsTheyTake) {
  const std::map<FactTask, std::size_t> facts = {{FactTask::one, 1},
                                                 {FactTask::two, 2},
                                                 {FactTask::three, 3},
                                                 {FactTask::yes_no, 1},
                                                 {FactTask::places, 1}};
  for (const auto& [task, count] : facts) {
    Random random(2);
    for (int turn = 0; turn < 60; ++turn) {
      const text::StoryQuestion question =
          story_of(draw_fact_story(task, random, turn)).questions[0];
      const std::set<int> distinct(question.support.begin(), question.support.end());
      ASSERT_EQ(distinct.size(), count);
    }
  }
}

// With the named facts alone, and nothing else, the answer is the same.
TEST(FactStories, FollowFromTheFactsTheyName) {
  for (const FactTask task :
       {FactTask::one, FactTask::two, FactTask::three, FactTask::yes_no, FactTask::count,
        FactTask::list, FactTask::places, FactTask::relations}) {
    Random random(3);
    for (int turn = 0; turn < 60; ++turn) {
      const text::Story story = story_of(draw_fact_story(task, random, turn));
      text::Story alone{.sentences = {}, .questions = story.questions};
      for (std::size_t i = 0; i < story.sentences.size(); ++i) {
        if (std::ranges::count(story.questions[0].support, static_cast<int>(i)) > 0) {
          alone.sentences.push_back(story.sentences[i]);
        }
      }
      ASSERT_EQ(answer_again(task, alone), text::plain_words(story.questions[0].answer));
    }
  }
}

TEST(FactStories, GiveEveryAnswerAsOften) {
  Random random(4);
  std::map<std::string, int> rooms, numbers;
  for (int turn = 0; turn < 60; ++turn) {
    ++rooms[story_of(draw_fact_story(FactTask::two, random, turn)).questions[0].answer];
    ++numbers[story_of(draw_fact_story(FactTask::count, random, turn)).questions[0].answer];
  }
  ASSERT_EQ(rooms.size(), 6u);
  for (const auto& [room, count] : rooms) EXPECT_EQ(count, 10) << room;
  ASSERT_EQ(numbers.size(), 4u);
}

}  // namespace
}  // namespace heed::corpora
