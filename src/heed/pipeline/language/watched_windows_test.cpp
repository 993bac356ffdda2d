// SPDX-License-Identifier: Apache-2.0
// A language model under observers loses what it is scored by, window by window.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/insight/observe/kept.h"
#include "heed/pipeline/head_survey.h"
#include "heed/pipeline/language/language_generator.h"

namespace heed::pipeline {
namespace {

LanguageGenerator small_reader(LanguageModelKind kind) {
  LanguageModelOptions options;
  options.model = kind;
  options.embedding = options.hidden = options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.stack.layers = 2;
  options.stack.longest = 8;
  options.stack.positions = models::Positions::learned;
  Random random(3);
  const TokeniserPointer tokeniser =
      text::train_tokeniser({.kind = text::TokeniserKind::characters, .spaces = text::Spaces::kept},
                            std::vector<std::string>{"abc d"});
  return {tokeniser, make_language_model(options, tokeniser->size(), random),
          text::LineEnds::token};
}

TEST(WatchedWindows, LoseWhatTheModelIsScoredBy) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "text.txt").string();
  write_atomically(file, "abcd ab\ncc dabb\n");
  const LanguageGenerator model = small_reader(LanguageModelKind::gpt);
  const auto watched = model.watched({.files = {file}});
  const text::LongText text = model.read(file);
  ASSERT_EQ(text.tokens.size(), 16u);
  ASSERT_EQ(watched->size(), 2u);  // of as many as it sees at once
  // Full windows do not overlap where it is scored, either.
  std::vector<std::size_t> all = {0, 1};
  const WatchedRun run = watched->run(all, {});
  const TextScore score = model.score(text, {.window = 8});
  EXPECT_NEAR(run.losses.value().at({0}) + run.losses.value().at({1}), -score.log_probability,
              1e-4);
  EXPECT_EQ(run.units[0] + run.units[1], static_cast<double>(text.tokens.size()));
  // Beside another example or alone.
  const WatchedRun alone = watched->run(std::span(&all[1], 1), {});
  EXPECT_NEAR(alone.losses.value().at({0}), run.losses.value().at({1}), 1e-5);
}

TEST(WatchedWindows, StatesAreThoseOfTheTokensRead) {
  const LanguageGenerator model = small_reader(LanguageModelKind::gpt);
  const auto watched = model.watched({.inputs = {{.text = "ab d"}}});
  insight::KeptStates kept;
  const std::size_t first = 0;
  watched->run(std::span(&first, 1), {.watch = &kept});
  const insight::TokenStrip strip = watched->strips(0).front();
  EXPECT_EQ(strip.name, "text");
  EXPECT_EQ(strip.words, (std::vector<int>{-1, 0, 0, 1, 1}));
  ASSERT_EQ(kept.entries().size(), 2u);
  EXPECT_EQ(kept.entries()[1].states.shape().text(), "[1,5,8]");
  EXPECT_EQ(kept.entries()[1].site.keys, "text");
}

TEST(WatchedWindows, HeadsAreSurveyed) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "text.txt").string();
  write_atomically(file, "abcd ab\ncc dab\nbb aa\n");
  const LanguageGenerator model = small_reader(LanguageModelKind::gpt);
  const HeadSurvey survey = survey_heads(*model.watched({.files = {file}}));
  ASSERT_EQ(survey.heads.size(), 4u);
  EXPECT_EQ(survey.heads[3].name(), "decoder self 1.1");
  for (const SurveyedHead& head : survey.heads) {
    EXPECT_GT(head.roles.queries, 0);
    EXPECT_LE(head.roles.confidence, 1);
    EXPECT_GT(head.importance, 0);
  }
  EXPECT_THROW(model.watched({.files = {file}, .window = 1}), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
