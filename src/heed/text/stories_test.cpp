// SPDX-License-Identifier: Apache-2.0
#include "heed/text/stories.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::text {
namespace {

std::vector<Story> stories_of(const std::string& text) {
  const test::TemporaryFolder folder;
  test::put(folder / "stories", text);
  return read_stories(folder / "stories");
}

std::string refusal_of(const std::string& text) {
  const test::TemporaryFolder folder;
  test::put(folder / "stories", text);
  const std::string message =
      test::message_of<DataError>([&] { read_stories(folder / "stories"); });
  return message.substr(std::min(message.size(), (folder / "stories").string().size()));
}

TEST(Stories, CountQuestionsAmongTheLinesButNotAmongTheSentences) {
  const std::vector<Story> stories = stories_of(
      "1 Mary moved to the bathroom.\n"
      "2 Where is Mary?\tbathroom\t1\n"
      "3 John went home.\n"
      "\n"
      "4 Where is John?\thome\t3 1\n"
      "1 Sandra left.\n"
      "2 Who left?\tSandra\n");
  ASSERT_EQ(stories.size(), 2u);
  const Story& first = stories[0];
  ASSERT_EQ(first.sentences.size(), 2u);
  EXPECT_EQ(first.sentences[1], (StorySentence{"John went home.", 3, 3}));
  ASSERT_EQ(first.questions.size(), 2u);
  EXPECT_EQ(first.questions[0].sentences, 1u);
  EXPECT_EQ(first.questions[0].support, (std::vector<int>{0}));
  EXPECT_EQ(first.questions[1].sentences, 2u);
  EXPECT_EQ(first.questions[1].support, (std::vector<int>{1, 0}));
  EXPECT_EQ(first.questions[1].line, 5u);
  EXPECT_EQ(stories[1].questions[0].answer, "Sandra");
  EXPECT_TRUE(stories[1].questions[0].support.empty());
}

TEST(Stories, SayWhatIsWrongWithWhichLine) {
  EXPECT_EQ(refusal_of("1 a.\nMary went.\n").substr(0, 17), ":2: \"Mary went.\" ");
  EXPECT_EQ(refusal_of("1 a.\n3 b.\n"),
            ":2: number 3 after 1; a story counts its lines from 1, questions included");
  EXPECT_EQ(refusal_of("1 a.\n2 Where?\t\t1\n").substr(0, 37),
            ":2: there is no answer after the tab;");
  EXPECT_EQ(refusal_of("1 a.\n2 \thome\t1\n"), ":2: there is no question before the tab");
  EXPECT_EQ(refusal_of("1 a.\n2 Where?\tat home\n").substr(0, 40),
            ":2: the answer \"at home\" has several wor");
  EXPECT_EQ(refusal_of("1 a.\n2 Where?\thome\t2\n").substr(0, 41),
            ":2: the supporting fact \"2\" is no sentenc");
  EXPECT_EQ(refusal_of("1 a.\n2 Where?\thome\t1\tx\n").substr(0, 11), ":2: 3 tabs;");
  EXPECT_EQ(refusal_of("1 a.\n2 b.\n").substr(0, 25), ": a story and no question");
  EXPECT_EQ(refusal_of("1 \n").substr(0, 41), ":1: the line has a number and no sentence");
}

TEST(Stories, AreReadFromWhatPeopleWrite) {
  EXPECT_EQ(story_sentences("Mary left. John came!"),
            (std::vector<std::string>{"Mary left.", "John came!"}));
  EXPECT_EQ(story_sentences("Mary left. Really.\n\nJohn came\n"),
            (std::vector<std::string>{"Mary left. Really.", "John came"}));
  EXPECT_EQ(story_sentences("1 Mary left.\n2 Who left?\tMary\t1\n3 John came.\n"),
            (std::vector<std::string>{"Mary left.", "John came."}));
  EXPECT_TRUE(story_sentences(" \n").empty());
}

TEST(Stories, AreWordsInSmallLettersWithoutTheirEnds) {
  EXPECT_EQ(plain_words("Where is  Mary ?"), "where is mary");
  EXPECT_EQ(plain_words("Apple,milk."), "apple,milk");
  EXPECT_EQ(key_and_value("Anna mother => Clara").key, "Anna mother");
  EXPECT_EQ(key_and_value("Anna mother => Clara").value, "Clara");
  EXPECT_EQ(key_and_value("Anna left").value, "Anna left");
}

}  // namespace
}  // namespace heed::text
