// SPDX-License-Identifier: Apache-2.0
// Stories as slots, ages with noise, and what the hops of known weights are worth.
#include "heed/pipeline/memory/story_data.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/observe/interventions.h"
#include "heed/pipeline/memory/story_quality.h"

namespace heed::pipeline {
namespace {

text::Story told_story() {
  text::Story story;
  for (const char* sentence :
       {"Ann went home.", "Bob left.", "Ann mother => Cid", "Cid friend => Bob"}) {
    story.sentences.push_back({.text = sentence, .line = story.sentences.size() + 1});
  }
  story.questions.push_back({.text = "Who is the friend of the mother of Ann?",
                             .answer = "Bob",
                             .sentences = 4,
                             .support = {2, 3},
                             .line = 5});
  return story;
}

TEST(StoryData, KeepsTheNewestSentencesAndTheirSupport) {
  const text::Story story = told_story();
  const auto tokeniser = story_vocabulary(std::span(&story, 1));
  StoryTable table(*tokeniser);
  const AskedQuestion all = table.add(story, story.questions[0], {{4, 9}}, "file");
  EXPECT_EQ(all.keys.size(), 4u);
  EXPECT_EQ(all.support, (std::vector<int>{2, 3}));
  EXPECT_EQ(all.answer, tokeniser->find("bob"));
  const AskedQuestion few = table.add(story, story.questions[0], {{1, 9}}, "file");
  EXPECT_EQ(few.places, (std::vector<int>{3}));
  EXPECT_EQ(few.keys[0], all.keys[3]);
  EXPECT_EQ(few.support, (std::vector<int>{-1, 0}));
  EXPECT_EQ(test::message_of<DataError>([&] {
              table.add(story, story.questions[0], {{4, 3}}, "file");
            }).substr(0, 36),
            "file:5: a sentence of 9 words, and t");
}

TEST(StoryData, CutsKeysFromValuesAndChoosesThoseThatShareWords) {
  const text::Story story = told_story();
  const auto tokeniser = story_vocabulary(std::span(&story, 1));
  StoryTable table(*tokeniser);
  const AskedQuestion asked = table.add(
      story, story.questions[0], {{4, 9}, Memories::key_value, Candidates::shared_words}, "file");
  EXPECT_EQ(asked.places, (std::vector<int>{0, 2, 3}));  // "Bob left" shares nothing
  EXPECT_EQ(table.words(asked.values[2]), (text::Tokens{tokeniser->find("bob")}));
  EXPECT_EQ(table.words(asked.keys[2]),
            (text::Tokens{tokeniser->find("cid"), tokeniser->find("friend")}));
  const std::size_t chosen[] = {0};
  const models::StoryBatch batch =
      story_batch(table, std::span(&asked, 1), chosen, {5, 9}, 0, nullptr);
  EXPECT_EQ(batch.keys.shape(), Shape({1, 5}));
  EXPECT_EQ(batch.lengths.at({0}), 3);
  EXPECT_EQ(batch.ages.at({0, 0}), 3);  // counted from the newest
  EXPECT_EQ(batch.ages.at({0, 2}), 1);
  EXPECT_EQ(batch.ages.at({0, 3}), 0);
  EXPECT_EQ(batch.keys.at({0, 3}), models::kEmptySentence);
  EXPECT_EQ(batch.sentences.at({0, 0}), models::kNullWord);
}

TEST(StoryData, TakesUnknownWordsForNone) {
  const text::Story story = told_story();
  const auto tokeniser = story_vocabulary(std::span(&story, 1));
  StoryTable table(*tokeniser);
  text::Story other = story;
  other.sentences[0].text = "Zoe went home.";
  const AskedQuestion asked = table.add(other, other.questions[0], {{4, 9}}, "file");
  EXPECT_EQ(table.words(asked.keys[0])[0], models::kNullWord);
}

TEST(NoisyAges, AreInOrderAndWithinTheirShare) {
  Random random(1);
  std::set<std::int32_t> oldest;
  for (int i = 0; i < 300; ++i) {
    const std::vector<std::int32_t> ages = noisy_ages(20, .1, random);
    ASSERT_EQ(ages.size(), 20u);
    ASSERT_TRUE(std::ranges::is_sorted(ages, std::greater<>()));
    ASSERT_EQ(std::ranges::adjacent_find(ages), ages.end());
    ASSERT_GE(ages.back(), 1);
    oldest.insert(ages.front());
  }
  EXPECT_EQ(oldest, (std::set<std::int32_t>{20, 21, 22}));
  EXPECT_EQ(noisy_ages(3, 0, random), (std::vector<std::int32_t>{3, 2, 1}));
}

TEST(MemorySizes, AreReadBackAndRefusedWhenChanged) {
  EXPECT_EQ(parse_sizes(written_sizes({10, 7}), "sizes"), (MemorySizes{10, 7}));
  for (const char* bad : {"", "slots\t10\n", "slots\t0\nwords\t7\n", "words\t7\nslots\t10\n",
                          "slots\t10\nwords\t7x\n", "slots\t99999999999999999999\nwords\t7\n"}) {
    EXPECT_THROW(parse_sizes(bad, "sizes"), DataError) << bad;
  }
}

TEST(StoryQuality, CountsErrorsAndFactsUnderTheLargestWeights) {
  std::vector<AskedQuestion> questions(3);
  for (AskedQuestion& question : questions) question.answer = 5;
  questions[0].support = {0, 1};
  questions[1].support = {1};
  std::vector<QuestionRead> read(3);
  read[0] = {.best = 5, .log_probability = -1, .weights = {{.7, .2, .1}, {.1, .3, .6}}};
  read[1] = {.best = 6, .log_probability = -3, .weights = {{.2, .8, 0}, {.5, .25, .25}}};
  read[2] = {.best = 6, .log_probability = -std::numeric_limits<double>::infinity()};
  const StoryQuality quality = quality_of("task", questions, read);
  EXPECT_NEAR(quality.error(), 2 / 3., 1e-12);
  EXPECT_FALSE(quality.passes());
  EXPECT_NEAR(quality.loss, 2, 1e-12);
  EXPECT_EQ(quality.right.questions, 1u);
  EXPECT_NEAR(quality.right.hops[0].mass, .9, 1e-12);
  EXPECT_EQ(quality.right.hops[1].top, 0);  // the empty slots had most
  EXPECT_EQ(quality.right.found, 1);
  EXPECT_EQ(quality.right.all_found, 0);
  EXPECT_EQ(quality.wrong_ones.hops[0].top, 1);
  EXPECT_NEAR(quality.wrong_ones.hops[1].mass, .25, 1e-12);
}

TEST(StoryQuality, SaysWhenAModelHasLearntNothing) {
  std::vector<AskedQuestion> questions(4);
  for (std::size_t i = 0; i < 4; ++i) questions[i].answer = i < 3 ? 5 : 6;
  std::vector<QuestionRead> read(4, {.best = 5, .weights = {{.01, .99}, {.6, .4}}});
  const std::vector<std::string> found = signs_of_collapse(questions, read);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].substr(0, 67),
            "25.0% of the training questions are answered wrong, as many as by s");
  EXPECT_EQ(found[1].substr(0, 37), "hop 1 looks at the empty slots alone ");
  read[3].best = 6;
  for (QuestionRead& one : read) one.weights[0] = {.5, .5};
  EXPECT_TRUE(signs_of_collapse(questions, read).empty());
}

// A hop may be watched and changed like any other attention.
TEST(MemoryHops, CanBeIntervenedOnOneByOne) {
  const text::Story story = told_story();
  const auto tokeniser = story_vocabulary(std::span(&story, 1));
  StoryTable table(*tokeniser);
  const AskedQuestion asked = table.add(story, story.questions[0], {{4, 9}}, "file");
  const std::size_t chosen[] = {0};
  const models::StoryBatch batch =
      story_batch(table, std::span(&asked, 1), chosen, {4, 9}, 0, nullptr);
  Random random(1);
  const models::MemoryNetwork model(
      {.vocabulary = tokeniser->size(), .hops = 2, .slots = 4, .words = 9, .ages = 4}, random);
  insight::UniformWeights uniform([](const attention::Site& site) {
    return site.role == attention::Role::memory && site.hop == 1;
  });
  attention::Trace trace;
  attention::Observers both({&uniform, &trace});
  const Tensor changed = model(batch, {.watch = both.get()}).logits.value();
  EXPECT_EQ(trace.entries()[1].weights.at({0, 0, 0, 0}), Real(.25));
  EXPECT_NE(trace.entries()[0].weights.at({0, 0, 0, 0}), Real(.25));
  EXPECT_NE(changed.at({0, 4}), model(batch).logits.value().at({0, 4}));
}

}  // namespace
}  // namespace heed::pipeline
