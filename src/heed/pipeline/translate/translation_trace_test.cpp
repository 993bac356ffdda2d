// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translation_trace.h"

#include <gtest/gtest.h>

#include "heed/models/context_sites.h"
#include "heed/tensor/testing.h"

namespace heed::pipeline {
namespace {

using heed::testing::counting;
using Strings = std::vector<std::string>;

attention::Site self(const char* set, const char* queries, const char* keys, bool stepwise) {
  return {.role = attention::Role::self,
          .set = set,
          .queries = queries,
          .keys = keys,
          .stepwise = stepwise};
}
const attention::Site kCross{.role = attention::Role::cross,
                             .set = "cross",
                             .queries = "target",
                             .keys = "source",
                             .stepwise = true};

const TracedPair kPair = {
    .source = {{"a", "b", "</s>"}, {0, 1, -1}}, .target = {{"A", "</s>"}, {0, -1}}, .title = "a b"};

TEST(TranslationTrace, SetsWhatWasReadBesideWhatWasWritten) {
  const std::vector<decoding::AttentionPath> paths = {
      {self("encoder self", "source", "source", false), counting({1, 3, 3})},
      {self("decoder self", "target", "target read", true),
       Tensor::of({1, 2, 2}, {1, attention::kMasked, Real(.5), Real(.5)})},
      {kCross, counting({1, 2, 3})}};
  const insight::TracedExample example = traced(kPair, paths);
  EXPECT_NO_THROW(insight::check({.examples = {example}}));
  EXPECT_EQ(example.title, "a b");
  const insight::TokenStrip& read = insight::strip_of(example, "target read");
  EXPECT_EQ(read.tokens, (Strings{"<s>", "A"}));
  EXPECT_EQ(read.words, (std::vector<int>{-1, 0}));
  ASSERT_EQ(example.attentions.size(), 3u);
  EXPECT_EQ(example.attentions[1].kind, "decoder self");
  EXPECT_EQ(example.attentions[1].queries, "target");
  EXPECT_EQ(example.attentions[1].keys, "target read");
  EXPECT_TRUE(example.attentions[1].stepwise);
  EXPECT_FALSE(example.attentions[0].stepwise);
}

TEST(TranslationTrace, HasNoStripOfWhatNobodyLooksAt) {
  const std::vector<decoding::AttentionPath> paths = {{kCross, counting({1, 2, 3})}};
  EXPECT_EQ(traced(kPair, paths).strips.size(), 2u);
}

TEST(TranslationTrace, ClosesTheGapsBetweenSentencesBefore) {
  TracedPair pair = kPair;
  pair.source_before = {{"x"}, {"y", "z"}};
  const attention::HierarchicalCall source = models::source_context(1, {});
  const attention::HierarchicalCall target = models::target_context(0, {});
  // Room for three sentences of two words each.
  const std::vector<decoding::AttentionPath> paths = {{source.words, counting({1, 3, 6})},
                                                      {source.sentences, counting({1, 3, 3})},
                                                      {target.words, counting({1, 2, 6})},
                                                      {target.sentences, counting({1, 2, 3})}};
  const insight::TracedExample example = traced(pair, paths);
  EXPECT_NO_THROW(insight::check({.examples = {example}}));
  EXPECT_EQ(insight::strip_of(example, "source context").tokens, (Strings{"x", "y", "z"}));
  EXPECT_EQ(insight::strip_of(example, "source context").words, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(insight::strip_of(example, "source context sentences").tokens,
            (Strings{"1 before", "2 before"}));
  // There is no sentence before the target.
  ASSERT_EQ(example.attentions.size(), 2u);
  EXPECT_EQ(example.attentions[0].heads[0].weights.select(0, 0).values(),
            (std::vector<Real>{0, 2, 3}));
  EXPECT_EQ(example.attentions[1].heads[0].weights.select(0, 1).values(),
            (std::vector<Real>{3, 4}));
}

}  // namespace
}  // namespace heed::pipeline
