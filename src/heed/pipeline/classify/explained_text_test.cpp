// SPDX-License-Identifier: Apache-2.0
// What explainers are told of a classifier: batches as single copies, gradients as differences, and
// a model that is linear in its words, where explainers have to agree.
#include "heed/pipeline/classify/explained_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/explain/explainer.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/explained_testing.h"

namespace heed::pipeline {
namespace {

using explain::Kept;
using explain::Removal;

// A model of random weights over some words; "bag" without attention is linear in them.
Classifier classifier_of(models::TextEncoderKind kind, const std::string& attention) {
  Random random(3);
  text::Labels labels(std::vector<std::string>{"mood"});
  for (const char* label : {"glad", "sad", "calm"}) labels.add(std::vector<std::string>{label});
  const TokeniserPointer words = text::train_tokeniser(
      {.kind = text::TokeniserKind::words}, std::vector<std::string>{"one two three four five ,"});
  const auto model = std::make_shared<models::Classifier>(
      models::ClassifierOptions{
          .encoder = {.vocabulary = words->size(), .kind = kind, .embedding = 8, .hidden = 8},
          .classes = {3},
          .attention = attention},
      random);
  return Classifier({words, labels, model});
}

constexpr const char* kText = "one, two three four two five";

std::vector<double> shares(const Explained& explained, const std::string& written) {
  return explain::make_explainer(written)->explain(*explained.subject).shares;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t t = 0; t < a.size(); ++t) EXPECT_NEAR(a[t], b[t], tolerance) << t;
}

TEST(ExplainedText, IsTheScoreOfItsClassByWords) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::rnn, "additive");
  const Explained said = classifier.explained({kText});
  EXPECT_EQ(said.words.size(), 6u);
  EXPECT_EQ(said.words[0], "one,");
  EXPECT_EQ(said.target, "mood = " + classifier.classify(kText).aspects[0].label);
  // Scores are the logarithms of probabilities but for one constant.
  std::vector<double> scores, probabilities;
  for (const char* label : {"glad", "sad", "calm"}) {
    const Explained one = classifier.explained({kText}, {.label = label});
    scores.push_back(one.subject->output());
    probabilities.push_back(one.probability);
  }
  EXPECT_NEAR(scores[0] - scores[1], std::log(probabilities[0] / probabilities[1]), 1e-4);
  EXPECT_NEAR(scores[1] - scores[2], std::log(probabilities[1] / probabilities[2]), 1e-4);
}

TEST(ExplainedText, GivesCopiesTogetherWhatItGivesThemAlone) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::rnn, "additive");
  const Explained explained = classifier.explained({kText});
  std::vector<Kept> copies(6, Kept(6, true));
  for (std::size_t t = 0; t < 6; ++t) copies[t][t] = copies[t][0] = false;
  for (const Removal removal : {Removal::erase, Removal::mask, Removal::zero}) {
    const std::vector<double> together = explained.subject->outputs(copies, removal);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      EXPECT_NEAR(explained.subject->outputs(std::span(copies).subspan(i, 1), removal)[0],
                  together[i], 1e-5);
    }
  }
  // An erased word is a text without it.
  const std::array without_second = {Kept{true, false, true, true, true, true}};
  EXPECT_NEAR(
      explained.subject->outputs(without_second, Removal::erase)[0],
      classifier.explained({"one, three four two five"}, {.label = explained.target.substr(7)})
          .subject->output(),
      1e-5);
}

TEST(ExplainedText, HasTheGradientsOfItsOutput) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::cnn, "additive");
  const Explained explained = classifier.explained({kText});
  // Integrated gradients add up to the way from vectors of 0 to the text.
  const std::vector<double> found = shares(explained, "integrated_gradients(steps=200)");
  double sum = 0;
  for (const double share : found) sum += share;
  EXPECT_NEAR(
      sum, explained.subject->output() - explained.subject->output_of_nothing(Removal::zero), 2e-3);
}

TEST(ExplainedText, OfALinearModelIsOneThingToAllExplainers) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::bag, "none");
  const Explained explained = classifier.explained({kText});
  const std::vector<double> erased = shares(explained, "leave_one_out(removal=zero)");
  expect_near(shares(explained, "gradient_input"), erased, 1e-5);
  expect_near(shares(explained, "integrated_gradients"), erased, 1e-5);
  expect_near(shares(explained, "shapley(removal=zero)"), erased, 1e-5);
  expect_near(shares(explained, "lime(removal=zero)"), erased, 2e-3);
}

TEST(ExplainedText, ShowsAttentionWithItsGradient) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::rnn, "additive");
  const Explained explained = classifier.explained({kText});
  expect_near(shares(explained, "attention"), classifier.classify(kText).aspects[0].attention,
              1e-6);
  // Weights w of states h: the output is linear in what was read, sum of w_t s_t + b, so that the
  // products with gradients add up to the output less b; erased states cannot change that.
  const std::vector<double> products = shares(explained, "attention_gradient");
  double sum = 0;
  for (const double one : products) sum += one;
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_NE(sum, 0);
  const Explained bare = classifier_of(models::TextEncoderKind::bag, "none").explained({kText});
  EXPECT_FALSE(bare.subject->attends());
  EXPECT_THROW(shares(bare, "attention"), UsageError);
}

// Every shape a classifier has: what it reads, by whom it is asked, in sentences or pairs.
struct Shape {
  std::string name;
  models::ClassifierOptions options{};
  text::TextShape text = text::TextShape::line;
  bool looks = true;  // whether its attentions follow one another
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

models::ClassifierOptions of_transformer(models::ClassifierOptions options) {
  options.encoder.kind = models::TextEncoderKind::transformer;
  options.encoder.stack.width = 8;
  options.encoder.stack.heads = 2;
  options.encoder.stack.inner = 12;
  options.encoder.stack.layers = 2;
  options.encoder.stack.dropout = 0;
  options.encoder.stack.activation = Activation::gelu;  // without kinks: slopes are differences
  return options;
}

class ExplainedShapes : public ::testing::TestWithParam<Shape> {
 protected:
  Classifier classifier() const {
    Random random(5);
    text::Labels labels(std::vector<std::string>{"mood"});
    for (const char* label : {"glad", "sad", "calm"}) labels.add(std::vector<std::string>{label});
    const TokeniserPointer words =
        text::train_tokeniser({.kind = text::TokeniserKind::words},
                              std::vector<std::string>{"one two three four five , ."});
    models::ClassifierOptions options = GetParam().options;
    options.encoder.vocabulary = words->size();
    options.encoder.embedding = options.encoder.hidden = 8;
    options.classes = {3};
    const bool second = options.second;
    return Classifier({.tokeniser = words,
                       .labels = labels,
                       .model = std::make_shared<models::Classifier>(options, random),
                       .second = second,
                       .shape = GetParam().text});
  }
  Input input() const {
    return {"one, two three. four two five.", GetParam().options.second ? "two four" : ""};
  }
};

TEST_P(ExplainedShapes, HaveTheSlopesOfTheirScores) {
  const Classifier model = classifier();
  testing::expect_slopes(*model.explained(input()).subject);
}

TEST_P(ExplainedShapes, GiveCopiesTogetherWhatTheyGiveThemAlone) {
  const Classifier model = classifier();
  testing::expect_same_alone(*model.explained(input()).subject);
}

TEST_P(ExplainedShapes, ShowEveryAttentionThatLeadsToTheScore) {
  const Classifier model = classifier();
  const Explained explained = model.explained(input());
  ASSERT_EQ(explained.subject->has_looks(), GetParam().looks);
  if (!GetParam().looks) {
    EXPECT_THROW(explained.subject->looks(), UsageError);
    return;
  }
  const explain::Looks looks = explained.subject->looks();
  for (const explain::Look& layer : looks.layers) {
    testing::expect_values_fit(layer);
    for (std::int64_t q = 0; q + 1 < looks.tokens(); ++q) {
      double sum = 0;
      for (std::int64_t k = 0; k < looks.tokens(); ++k) {
        sum += static_cast<double>(layer.weights.at({1, q, k}));
      }
      EXPECT_NEAR(sum, 1, 1e-4);
    }
  }
  double read = 0;
  for (const double one : explain::read_at(looks)) read += one;
  EXPECT_NEAR(read, 1, 1e-4);
  for (const char* written : {"rollout", "flow", "relevance"}) {
    for (const double share : shares(explained, written)) EXPECT_TRUE(std::isfinite(share));
  }
  if (explained.subject->attends()) {
    expect_near(shares(explained, "attention"), by_word(looks, explain::read_at(looks)), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Classifiers, ExplainedShapes,
    ::testing::Values(
        Shape{"mean", of_transformer({.attention = "none"})},
        Shape{"last", of_transformer({.attention = "none", .summary = models::Summary::last})},
        Shape{"pooling", of_transformer({})},
        Shape{"token", of_transformer({.query = models::PoolingQuery::token})},
        Shape{"pair", of_transformer({.second = true})},
        Shape{"matched", of_transformer({.second = true, .matching = models::Matching::words}),
              text::TextShape::line, false},
        Shape{"documents", of_transformer({.documents = true}), text::TextShape::document, false},
        Shape{"recurrent_documents", {.documents = true}, text::TextShape::document, false},
        Shape{"convolutions", {.encoder = {.kind = models::TextEncoderKind::cnn}}},
        Shape{"recurrent_token", {.query = models::PoolingQuery::token}}),
    [](const auto& info) { return info.param.name; });

// What is behind the end that a model reads to is not there for any explainer that promises so.
TEST(ExplainedText, GivesNothingToWordsBeyondTheEndThatIsRead) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::bag, "additive");
  std::string text = "one two three";
  for (int i = 0; i < 1030; ++i) text += " four";
  const Explained explained = classifier.explained({text});
  for (const char* written : {"gradient", "gradient_input", "attention", "relevance"}) {
    const std::vector<double> found = shares(explained, written);
    ASSERT_EQ(found.size(), 1033u);
    EXPECT_EQ(found.back(), 0) << written;
    if (std::string(written) != "relevance") {  // which has 0 where a weight lowers the score
      EXPECT_NE(found.front(), 0) << written;
    }
  }
}

TEST(ExplainedText, RefusesWhatIsNotThere) {
  const Classifier classifier = classifier_of(models::TextEncoderKind::rnn, "additive");
  EXPECT_EQ(test::message_of<UsageError>([&] { classifier.explained({kText}, {.label = "gald"}); }),
            "--target gald: no such class (did you mean \"glad\"?); the model has calm, glad, sad");
  EXPECT_EQ(
      test::message_of<UsageError>([&] { classifier.explained({kText}, {.aspect = "style"}); }),
      "--aspect style: no such aspect; the model has mood");
  EXPECT_EQ(test::message_of<UsageError>([&] { classifier.explained({"  "}); }),
            "explain: an empty text; there are no words to explain");
}

}  // namespace
}  // namespace heed::pipeline
