// SPDX-License-Identifier: Apache-2.0
// Laws of the traces of every kind of classifier.
#include "heed/pipeline/classify/classification_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/attention/trace_testing.h"
#include "heed/base/error.h"
#include "heed/models/classifier_testing.h"

namespace heed::pipeline {
namespace {

using models::testing::classifier_input;
using models::testing::tiny_classifier;

std::vector<std::pair<const char*, models::ClassifierOptions>> kinds() {
  auto all = models::testing::classifier_kinds();
  const auto add = [&](const char* name, auto change) {
    models::ClassifierOptions options = tiny_classifier();
    options.encoder.kind = models::TextEncoderKind::transformer;
    options.encoder.stack = {.width = 8, .heads = 2, .inner = 12, .layers = 2, .dropout = 0};
    change(options);
    all.emplace_back(name, options);
  };
  add("TransformerToken", [](auto& o) { o.query = models::PoolingQuery::token; });
  add("TransformerPair", [](auto& o) { o.second = true; });
  add("TransformerWordByWord", [](auto& o) {
    o.second = true;
    o.matching = models::Matching::words;
  });
  add("TransformerDocuments", [](auto& o) { o.documents = true; });
  add("TransformerWindow",
      [](auto& o) { o.encoder.stack.attention = "scaled_dot | window(left=1) | sparsemax"; });
  return all;
}

TracedTokens numbered(const models::Sequences& text, std::int64_t row) {
  TracedTokens tokens;
  for (std::int32_t i = 0; i < text.lengths.at({row}); ++i) {
    tokens.pieces.push_back(std::to_string(text.ids.at({row, i})));
    tokens.words.push_back(i);
  }
  return tokens;
}

insight::TracedExample example_of(const models::Classifier& model,
                                  const models::ClassifierOptions& options,
                                  const models::ClassifierInput& input, std::int64_t row) {
  attention::Trace trace;
  model(input, {.watch = &trace});
  TracedPrediction prediction{.text = numbered(input.text, row)};
  if (options.second) prediction.second = numbered(input.second, row);
  if (model.joins()) prediction.joints = options.joints;
  for (std::size_t i = 0; i < options.classes.size(); ++i) {
    prediction.aspects.push_back("aspect " + std::to_string(i));
  }
  return traced(prediction, trace, input, row);
}

class EveryClassifierTrace
    : public ::testing::TestWithParam<std::pair<const char*, models::ClassifierOptions>> {};

TEST_P(EveryClassifierTrace, HoldsTogetherWithRowsThatAreDistributions) {
  const models::ClassifierOptions& options = GetParam().second;
  Random random(3);
  const models::Classifier model(options, random);
  const models::ClassifierInput input = classifier_input(options, random);
  for (std::int64_t row = 0; row < 4; ++row) {
    const insight::TracedExample example = example_of(model, options, input, row);
    ASSERT_NO_THROW(insight::check({.examples = {example}}));
    const bool encoder = options.encoder.kind == models::TextEncoderKind::transformer;
    EXPECT_EQ(example.attentions.empty(),
              options.attention == "none" && options.rationale.gate.empty() && !encoder);
    for (const insight::AttentionSet& set : example.attentions) {
      for (const insight::TracedHead& head : set.heads) {
        const Tensor& weights = head.weights;
        for (std::int64_t q = 0; q < weights.size(0); ++q) {
          const std::vector<Real> row_weights = weights.select(0, q).values();
          // The end of a text asks for nothing where all words are weighed together.
          if (std::ranges::all_of(row_weights, attention::is_masked)) continue;
          double sum = 0;
          for (const Real weight : row_weights) sum += attention::share_of(weight);
          EXPECT_NEAR(sum, 1, 1e-5) << set.kind << ", row " << q;
        }
      }
    }
  }
}

TEST_P(EveryClassifierTrace, IsTheSameAloneAndInABatch) {
  const models::ClassifierOptions& options = GetParam().second;
  Random random(3);
  const models::Classifier model(options, random);
  const models::ClassifierInput input = classifier_input(options, random);
  for (std::int64_t row = 0; row < 4; ++row) {
    models::ClassifierInput mine{.text = models::testing::row_of(input.text, row)};
    if (options.second) mine.second = models::testing::row_of(input.second, row);
    const insight::TracedExample together = example_of(model, options, input, row);
    const insight::TracedExample alone = example_of(model, options, mine, 0);
    ASSERT_EQ(together.attentions.size(), alone.attentions.size());
    for (std::size_t i = 0; i < alone.attentions.size(); ++i) {
      EXPECT_EQ(together.attentions[i].kind, alone.attentions[i].kind);
      ASSERT_EQ(together.attentions[i].heads.size(), alone.attentions[i].heads.size());
      for (std::size_t h = 0; h < alone.attentions[i].heads.size(); ++h) {
        attention::testing::expect_same_looks(together.attentions[i].heads[h].weights,
                                              alone.attentions[i].heads[h].weights, 1e-5);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryClassifierTrace, ::testing::ValuesIn(kinds()),
                         [](const auto& info) { return info.param.first; });

const insight::AttentionSet& set_of(const insight::TracedExample& example, const char* kind) {
  return *std::ranges::find(example.attentions, kind, &insight::AttentionSet::kind);
}

insight::TracedExample of_kind(const char* name, std::int64_t row) {
  const auto all = kinds();
  const auto& options = std::ranges::find_if(all, [&](const auto& kind) {
                          return std::string(kind.first) == name;
                        })->second;
  Random random(3);
  const models::Classifier model(options, random);
  return example_of(model, options, classifier_input(options, random), row);
}

TEST(ClassificationTrace, HidesTheEndFromPoolingAndOtherSentencesFromAWord) {
  const insight::TracedExample example = of_kind("TransformerDocuments", 0);
  // Five tokens, the second and the last of them ends.
  const insight::AttentionSet& words = set_of(example, "words");
  EXPECT_EQ(words.queries, "sentences");
  attention::testing::expect_distributions(words.heads[0].weights, [](auto sentence, auto k) {
    return sentence == 0 ? k == 0 : k == 2 || k == 3;
  });
  for (const insight::TracedHead& head : set_of(example, "encoder self").heads) {
    attention::testing::expect_distributions(head.weights,
                                             [](auto q, auto k) { return (q < 2) == (k < 2); });
  }
  EXPECT_EQ(set_of(example, "pooling").keys, "sentences");
}

TEST(ClassificationTrace, ShowsTheTokenThatAsksButNotAsAKey) {
  const insight::TracedExample example = of_kind("TransformerToken", 1);
  EXPECT_EQ(insight::strip_of(example, "text").tokens.front(), "<s>");
  // <s>, a word, the end.
  attention::testing::expect_distributions(set_of(example, "pooling").heads[0].weights,
                                           [](auto, auto k) { return k == 1; });
  EXPECT_EQ(set_of(example, "encoder self").heads.size(), 4u);
}

TEST(ClassificationTrace, CallsHopsLayersAndAspectsRows) {
  const insight::TracedExample asked = of_kind("Question", 0);
  const insight::AttentionSet& hops = set_of(asked, "pooling");
  ASSERT_EQ(hops.heads.size(), 2u);
  EXPECT_EQ(hops.heads[1].layer, 1);
  EXPECT_EQ(set_of(asked, "question").keys, "second");
  const insight::TracedExample aspects = of_kind("Aspects", 0);
  EXPECT_EQ(set_of(aspects, "pooling").heads[0].weights.shape(), Shape({3, 5}));
}

TEST(ClassificationTrace, TellsTheTwoTextsOfAPairApart) {
  const insight::TracedExample example = of_kind("TransformerWordByWord", 0);
  EXPECT_EQ(set_of(example, "encoder self").keys, "text");
  EXPECT_EQ(set_of(example, "second self").keys, "second");
  EXPECT_EQ(set_of(example, "cross").queries, "second");
  EXPECT_EQ(set_of(example, "pooling").keys, "second");
}

TEST(ClassificationTrace, MasksWhatTheMechanismsOwnPatternHides) {
  const insight::TracedExample example = of_kind("TransformerWindow", 0);
  for (const insight::TracedHead& head : set_of(example, "encoder self").heads) {
    attention::testing::expect_distributions(
        head.weights, [](auto q, auto k) { return k >= q - 1 && k <= q + 1; });
  }
}

}  // namespace
}  // namespace heed::pipeline
