// SPDX-License-Identifier: Apache-2.0
// A classifier under observers loses what it loses, and its heads are surveyed: one that reads
// nothing costs nothing and is found out.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/insight/observe/interventions.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/head_gates.h"
#include "heed/pipeline/head_survey.h"

namespace heed::pipeline {
namespace {

struct WatchedTextsTest : ::testing::Test {
  WatchedTextsTest() {
    for (const char* label : {"glad", "sad"}) labels.add(std::vector<std::string>{label});
    write_atomically(folder.path() / "texts.tsv",
                     "glad\tone two three\nsad\tfour five\nglad\tfive\nsad\ttwo two four one\n");
  }

  Classifier classifier(bool dead_head = false) {
    Random random(5);
    const auto model = std::make_shared<models::Classifier>(
        models::ClassifierOptions{
            .encoder = {.vocabulary = words->size(),
                        .kind = models::TextEncoderKind::transformer,
                        .stack = {.width = 8, .heads = 2, .inner = 8, .layers = 1, .dropout = 0}}},
        random);
    for (const nn::Parameter& one : nn::parameters(*model)) {
      if (!dead_head || !one.name.ends_with("self.W_O.weight")) continue;
      Tensor weight = one.variable.value();  // [8, heads * 4]
      for (std::int64_t row = 0; row < 8; ++row) {
        for (std::int64_t column = 4; column < 8; ++column) {
          weight.mutable_data()[row * 8 + column] = 0;
        }
      }
    }
    return Classifier({words, labels, model});
  }
  WatchedData data() const { return {.files = {(folder.path() / "texts.tsv").string()}}; }

  test::TemporaryFolder folder;
  text::Labels labels{std::vector<std::string>{"mood"}};
  TokeniserPointer words = text::train_tokeniser(
      {.kind = text::TokeniserKind::words}, std::vector<std::string>{"one two three four five"});
};

TEST_F(WatchedTextsTest, LoseWhatTheModelLoses) {
  const Classifier model = classifier();
  const auto watched = model.watched(data());
  ASSERT_EQ(watched->size(), 4u);
  const std::vector<std::size_t> order = {3, 0};
  const WatchedRun run = watched->run(order, {});
  const Prediction said = model.classify("two two four one").aspects[0];
  EXPECT_NEAR(run.losses.value().at({0}), -std::log(said.probabilities[1]), 1e-5);
  EXPECT_EQ(run.right[0], said.label == "sad" ? 1 : 0);
  EXPECT_EQ(run.units, (std::vector<double>{1, 1}));
  EXPECT_EQ(watched->strips(1).front().tokens, (std::vector<std::string>{"four", "five", "</s>"}));
  EXPECT_EQ(watched->strips(1).front().words, (std::vector<int>{0, 1, -1}));
  EXPECT_EQ(model.watched({.files = data().files, .most = 2})->size(), 2u);
}

TEST_F(WatchedTextsTest, WithoutLabelsTheModelsOwnAnswerIsRight) {
  const Classifier model = classifier();
  const auto watched = model.watched({.inputs = {{.text = "one five"}}});
  const std::size_t first = 0;
  const WatchedRun run = watched->run(std::span(&first, 1), {});
  EXPECT_EQ(run.right[0], 1);
  const Prediction said = model.classify("one five").aspects[0];
  EXPECT_NEAR(run.losses.value().at({0}), -std::log(said.probability), 1e-5);
}

TEST_F(WatchedTextsTest, AHeadThatReadsNothingCostsNothing) {
  const Classifier model = classifier(true);
  const auto watched = model.watched(data());
  const HeadSurvey survey = survey_heads(*watched);
  ASSERT_EQ(survey.heads.size(), 3u);  // two of the encoder, one that pools
  EXPECT_EQ(survey.heads[0].name(), "encoder self 0.0");
  EXPECT_EQ(survey.heads[2].name(), "pooling of aspect 1 0.0");
  EXPECT_NEAR(survey.heads[1].importance, 0, 1e-7);
  EXPECT_NEAR(survey.heads[1].added_loss, 0, 1e-6);
  EXPECT_GT(survey.heads[0].importance, 1e-5);
  EXPECT_EQ(survey.examples, 4u);
  EXPECT_EQ(survey.units, 4);

  // What the first one's removal costs is what the model does without it.
  insight::ErasedHeads erased(
      {0}, [](const attention::Site& site) { return site.role == attention::Role::self; });
  const HeadCost without = cost_of(*watched, watched->batches(), &erased);
  EXPECT_NEAR(survey.heads[0].added_loss, without.loss - survey.loss, 1e-6);
  EXPECT_NEAR(survey.loss, cost_of(*watched, watched->batches(), nullptr).loss, 1e-9);
}

TEST_F(WatchedTextsTest, ImportanceIsTheSlopeAlongTheGate) {
  const Classifier model = classifier();
  const auto watched = model.watched(data());
  const HeadSurvey survey = survey_heads(*watched);
  double slopes = 0;
  for (std::size_t example = 0; example < watched->size(); ++example) {
    const auto loss_at = [&](Real gate) {
      insight::HeadFactors factors({{survey.heads[0].site, Tensor::of({1, 2}, {gate, 1})}});
      const NoGradient values_only;
      return watched->run(std::span(&example, 1), {.watch = &factors}).losses.item();
    };
    slopes += std::abs((loss_at(Real(1.05)) - loss_at(Real(.95))) / .1) / 4;
  }
  EXPECT_NEAR(survey.heads[0].importance, slopes, 1e-4 + .05 * slopes);
}

TEST_F(WatchedTextsTest, LearntGatesCloseAHeadThatReadsNothing) {
  const Classifier model = classifier(true);
  const auto watched = model.watched(data());
  const HeadSurvey survey =
      survey_heads(*watched, {.prune = true, .penalty = .5, .gate_steps = 60});
  ASSERT_EQ(survey.curves.size(), 3u);
  for (const PruningCurve& curve : survey.curves) {
    ASSERT_EQ(curve.steps.size(), 4u) << curve.order;
    EXPECT_EQ(curve.steps.front().heads, 3u);
    EXPECT_EQ(curve.steps.back().heads, 0u);
    EXPECT_NEAR(curve.steps.front().loss, survey.curves[0].steps.front().loss, 1e-9);
    EXPECT_NEAR(curve.steps.back().loss, survey.curves[0].steps.back().loss, 1e-6);
  }
  // The dead head goes first by importance, for nothing.
  EXPECT_NEAR(survey.curves[0].steps[1].loss, survey.curves[0].steps[0].loss, 1e-6);
  ASSERT_TRUE(survey.heads[1].open.has_value());
  EXPECT_LT(*survey.heads[1].open, .5);
}

TEST_F(WatchedTextsTest, RefuseWhatCannotBeLookedInto) {
  const Classifier model = classifier();
  EXPECT_THROW(model.watched({}), UsageError);
  EXPECT_THROW(model.watched({.inputs = {{.text = "one", .second = "two"}}}), UsageError);
  EXPECT_THROW(model.watched({.inputs = {{.text = " "}}}), UsageError);
  Random random(1);
  const auto bag = std::make_shared<models::Classifier>(
      models::ClassifierOptions{
          .encoder = {.vocabulary = words->size(), .kind = models::TextEncoderKind::bag},
          .attention = "none"},
      random);
  const Classifier blind({words, labels, bag});
  EXPECT_EQ(test::message_of<UsageError>([&] { survey_heads(*blind.watched(data())); }),
            "this model has no attention whose heads could be looked at");
}

}  // namespace
}  // namespace heed::pipeline
