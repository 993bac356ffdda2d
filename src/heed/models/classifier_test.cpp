// SPDX-License-Identifier: Apache-2.0
// Laws of every kind of classifier: batches change nothing, everything is trained, and what was
// looked at can be told.
#include "heed/models/classifier.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/classifier_testing.h"

namespace heed::models {
namespace {

using testing::classifier_input;
using testing::tiny_classifier;

class EveryClassifier : public ::testing::TestWithParam<std::pair<const char*, ClassifierOptions>> {
};

TEST_P(EveryClassifier, GivesTheSameAloneAndInABatch) {
  const ClassifierOptions& options = GetParam().second;
  Random random(3);
  const Classifier model(options, random);
  const ClassifierInput input = classifier_input(options, random);
  const std::vector<Variable> together = model(input);
  ASSERT_EQ(together.size(), options.classes.size());
  for (std::int64_t b = 0; b < 4; ++b) {
    ClassifierInput mine{.text = testing::row_of(input.text, b)};
    if (options.second) mine.second = testing::row_of(input.second, b);
    const std::vector<Variable> alone = model(mine);
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(together[i].shape(), Shape({4, options.classes[i]}));
      EXPECT_LE(
          testing::largest_difference(alone[i].value(), together[i].value().slice(0, b, b + 1)),
          1e-5)
          << "text " << b << ", aspect " << i;
    }
  }
}

TEST_P(EveryClassifier, TrainsEveryParameter) {
  const ClassifierOptions& options = GetParam().second;
  Random random(3);
  Classifier model(options, random);
  Variable loss(Tensor::scalar(0));
  for (const Variable& logits : model(classifier_input(options, random))) {
    loss = loss + cross_entropy(logits, Ids::of({4}, {0, 1, 1, 0}));
  }
  backward(loss);
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    ASSERT_TRUE(parameter.variable.gradient().defined()) << parameter.name;
  }
}

TEST_P(EveryClassifier, TellsWhatEachAspectLookedAt) {
  const ClassifierOptions& options = GetParam().second;
  Random random(3);
  const Classifier model(options, random);
  const ClassifierInput input = classifier_input(options, random);
  attention::Trace trace;
  model(input, {.watch = &trace});
  const std::vector<Tensor> weights = model.token_weights(trace, input);
  if (options.attention == "none" && options.rationale.gate.empty()) {
    EXPECT_TRUE(weights.empty());
    return;
  }
  ASSERT_EQ(weights.size(), options.classes.size());
  for (const Tensor& aspect : weights) {
    ASSERT_EQ(aspect.shape(), Shape({4, 7}));
    for (std::int64_t b = 0; b < 4; ++b) {
      const std::vector<Real> row = aspect.select(0, b).values();
      const double sum = std::accumulate(row.begin(), row.end(), 0.);
      if (model.joins()) {
        EXPECT_GT(sum, 0);
        EXPECT_LT(sum, 1) << "the second text has its share";
      } else {
        EXPECT_NEAR(sum, 1, 1e-5);
      }
      for (std::int64_t s = input.text.lengths.at({b}); s < 7; ++s) {
        EXPECT_EQ(row[static_cast<std::size_t>(s)], 0) << "padding";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryClassifier, ::testing::ValuesIn(testing::classifier_kinds()),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(Classifier, NeverLooksAtTheEndOfAText) {
  Random random(3);
  const Classifier model(tiny_classifier(), random);
  const ClassifierInput input = classifier_input(tiny_classifier(), random);
  attention::Trace trace;
  model(input, {.watch = &trace});
  const Tensor weights = model.token_weights(trace, input).front();
  EXPECT_EQ(weights.at({0, 4}), 0);
  EXPECT_EQ(weights.at({3, 0}), 1) << "an empty text has nothing but its end";
}

TEST(Classifier, WithWordsAsKeysAttendsToAWordWhateverStandsBesideIt) {
  // Ratios of weights depend on the two words alone.
  ClassifierOptions options = tiny_classifier();
  const auto ratio = [&](PoolingKeys keys, std::int32_t neighbour) {
    options.keys = keys;
    Random random(3);
    const Classifier model(options, random);
    const ClassifierInput input{
        .text = {Ids::of({1, 4}, {7, neighbour, 9, text::kEnd}), Ids::of({1}, {4})}};
    attention::Trace trace;
    model(input, {.watch = &trace});
    const Tensor weights = model.token_weights(trace, input).front();
    return weights.at({0, 0}) / weights.at({0, 2});
  };
  EXPECT_NEAR(ratio(PoolingKeys::words, 5), ratio(PoolingKeys::words, 15), 1e-5);
  EXPECT_GT(std::abs(ratio(PoolingKeys::states, 5) - ratio(PoolingKeys::states, 15)), 1e-4);
}

TEST(JoinedTexts, HaveTheirEndsBetweenThemAndSegmentsOfTheirOwn) {
  const auto end = text::kEnd;
  const Sequences first{Ids::of({2, 3}, {7, 8, end, 6, end, 0}), Ids::of({2}, {3, 2})};
  const Sequences second{Ids::of({2, 2}, {5, end, end, 0}), Ids::of({2}, {2, 1})};
  const Sequences both = joined(first, second, 2, 2);
  EXPECT_EQ(both.ids.values(),
            (std::vector<std::int32_t>{7, 8, end, end, 5, end, 6, end, end, end, 0, 0}));
  EXPECT_EQ(both.segments.values(),
            (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(both.lengths.values(), (std::vector<std::int32_t>{6, 4}));
  EXPECT_EQ(joined(first, second, 1, 0).segments.values(), std::vector<std::int32_t>(10, 0));
}

TEST(SentenceRows, AreCutBehindEveryEnd) {
  const auto end = text::kEnd;
  const Sequences documents{Ids::of({2, 5}, {7, end, 8, 9, end, 6, end, 0, 0, 0}),
                            Ids::of({2}, {5, 2})};
  const SentenceRows cut = sentence_rows(documents);
  EXPECT_EQ(cut.sentences.ids.values(),
            (std::vector<std::int32_t>{7, end, 0, 8, 9, end, 6, end, 0}));
  EXPECT_EQ(cut.sentences.lengths.values(), (std::vector<std::int32_t>{2, 3, 2}));
  EXPECT_EQ(cut.rows.values(), (std::vector<std::int32_t>{0, 1, 2, 0}));
  EXPECT_EQ(cut.counts.values(), (std::vector<std::int32_t>{2, 1}));
}

TEST(Classifier, SaysWhatDoesNotFit) {
  Random random(1);
  const auto message = [&](auto change) {
    ClassifierOptions options = tiny_classifier();
    change(options);
    return test::message_of<UsageError>([&] { Classifier(options, random); });
  };
  EXPECT_EQ(message([](auto& o) { o.classes = {1}; }),
            "classifier: 1 classes; an aspect takes 2 or more");
  EXPECT_TRUE(message([](auto& o) {
                o.documents = o.second = true;
              }).starts_with("classifier: documents of sentences have no second text"));
  EXPECT_TRUE(message([](auto& o) { o.hops = 2; }).starts_with("classifier: 2 hops"));
  const Classifier model(tiny_classifier(), random);
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                ClassifierInput input = classifier_input(tiny_classifier(), random);
                input.second = input.text;
                model(input);
              }).starts_with("classifier: a second text"));
}

}  // namespace
}  // namespace heed::models
