// SPDX-License-Identifier: Apache-2.0
// A translator under observers loses what it is scored by, and all three of its attentions are
// surveyed.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/models/transformer.h"
#include "heed/pipeline/head_survey.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::pipeline {
namespace {

struct WatchedPairsTest : ::testing::Test {
  WatchedPairsTest() {
    write_atomically(folder.path() / "a.src", "a b c\n\nd a\nb\n");
    write_atomically(folder.path() / "a.tgt", "C B A\n\nA D\nB B\n");
  }
  Translator translator() const {
    Random random(2);
    return {
        Vocabularies{words, words},
        std::make_shared<models::Transformer>(
            models::TransformerOptions{.source_vocabulary = words->size(),
                                       .target_vocabulary = words->size(),
                                       .stack = {.width = 8, .heads = 2, .inner = 8, .dropout = 0},
                                       .encoder_layers = 1,
                                       .decoder_layers = 1},
            random)};
  }
  WatchedData data() const {
    return {.files = {(folder.path() / "a.src").string(), (folder.path() / "a.tgt").string()}};
  }
  test::TemporaryFolder folder;
  TokeniserPointer words = text::train_tokeniser({.kind = text::TokeniserKind::words},
                                                 std::vector<std::string>{"a b c d A B C D"});
};

TEST_F(WatchedPairsTest, LoseWhatTheModelIsScoredBy) {
  const Translator model = translator();
  const auto watched = model.watched(data());
  ASSERT_EQ(watched->size(), 3u);  // without the empty line
  const std::vector<std::size_t> all = {0, 1, 2};
  const WatchedRun run = watched->run(all, {});
  const std::vector<InputScore> scores =
      model.score(std::vector<std::string>{"a b c", "d a", "b"},
                  std::vector<std::string>{"C B A", "A D", "B B"});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.losses.value().at({static_cast<std::int64_t>(i)}), -scores[i].log_probability,
                1e-4);
    EXPECT_EQ(run.units[i], static_cast<double>(scores[i].pieces.size()));
  }
  const auto strips = watched->strips(1);
  EXPECT_EQ(strips[0].tokens, (std::vector<std::string>{"d", "a", "</s>"}));
  EXPECT_EQ(strips[2].name, "target read");
  EXPECT_EQ(strips[2].tokens, (std::vector<std::string>{"<s>", "A", "D"}));
}

TEST_F(WatchedPairsTest, AllThreeAttentionsAreSurveyed) {
  const Translator model = translator();
  const HeadSurvey survey = survey_heads(*model.watched(data()));
  std::vector<std::string> names;
  for (const SurveyedHead& head : survey.heads) {
    names.push_back(head.name());
    EXPECT_GT(head.roles.queries, 0) << head.name();
    EXPECT_GT(head.importance, 0) << head.name();
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"encoder self 0.0", "encoder self 0.1", "decoder self 0.0",
                                      "decoder self 0.1", "cross 0.0", "cross 0.1"}));
  EXPECT_TRUE(survey.left_out.empty());
}

TEST_F(WatchedPairsTest, FilesMustGoLineByLine) {
  const Translator model = translator();
  write_atomically(folder.path() / "short.tgt", "C\n");
  EXPECT_THROW(model.watched({.files = {(folder.path() / "a.src").string(),
                                        (folder.path() / "short.tgt").string()}}),
               DataError);
  EXPECT_THROW(model.watched({.files = {(folder.path() / "a.src").string()}}), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
