// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/alignment_bench.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::insight {
namespace {

using heed::testing::message_of;

// Two source words, the second of two pieces; two target words and the end. Head 0 looks where the
// gold says, head 1 one step too late, as a query that has read a token does.
TraceDocument example() {
  TracedExample one;
  one.strips.push_back(
      {.name = "source", .tokens = {"the", "ca", "t", "</s>"}, .words = {0, 1, 1, -1}});
  one.strips.push_back({.name = "target", .tokens = {"le", "chat", "</s>"}, .words = {0, 1, -1}});
  const Tensor right = Tensor::of({3, 4}, {.9, .1, 0, 0, 0, .2, .8, 0, 0, 0, .1, .9});
  const Tensor late = Tensor::of({3, 4}, {0, 0, 0, 1, .9, .1, 0, 0, 0, .2, .8, 0});
  one.attentions.push_back({.kind = "cross",
                            .queries = "target",
                            .keys = "source",
                            .stepwise = true,
                            .heads = {{.weights = right}, {.head = 1, .weights = late}}});
  return {.model = "demo", .examples = {one}};
}

const std::vector<text::Alignment> kGold = {{{0, 0}, {1, 1}}};

TEST(AlignmentBench, FindsTheQueryThatSpeaksForATokenByHead) {
  const AlignmentBench bench = alignment_bench(example(), kGold);
  ASSERT_EQ(bench.looks.size(), 4u);  // two heads, their mean, their largest
  EXPECT_EQ(bench.looks[0].name, "layer 0 head 0");
  EXPECT_EQ(bench.looks[0].score.error_rate(), 0);
  EXPECT_EQ(bench.looks[0].query, TokenQuery::wrote);
  EXPECT_EQ(bench.looks[1].score.error_rate(), 0);
  EXPECT_EQ(bench.looks[1].query, TokenQuery::read);
  // Written: nothing for "le" (the end of the source), "the" for "chat".
  EXPECT_EQ(bench.looks[1].wrote.found, 1);
  EXPECT_EQ(bench.looks[1].wrote.error_rate(), 1);
  EXPECT_EQ(&bench.best(), &bench.looks[0]);
  EXPECT_EQ(&bench.best_head(), &bench.looks[0]);
  EXPECT_EQ(bench.looks[2].name, "layer 0 mean");
  EXPECT_EQ(bench.looks[3].name, "layer 0 max");
  EXPECT_GT(bench.looks[0].quality.confidence(), bench.looks[2].quality.confidence());
  // Columns of the mean sum to .9, .3, .85 and .95, of the largest to 1.8, .5, 1.6 and 1.9.
  EXPECT_NEAR(bench.looks[2].quality.coverage, (.9 + .3 + .85 + .95) / 4, 1e-6);
  EXPECT_NEAR(bench.looks[3].quality.coverage, (1 + .5 + 1 + 1) / 4, 1e-6);
}

TEST(AlignmentBench, ReadsRowsAsTheyStandWhereThereAreNoSteps) {
  TraceDocument document = example();
  document.examples[0].attentions[0].stepwise = false;
  const AlignmentBench bench = alignment_bench(document, kGold);
  EXPECT_FALSE(bench.looks[1].read);
  EXPECT_EQ(bench.looks[1].score.error_rate(), 1);
}

TEST(AlignmentBench, GivesNoLinkToARowThatLooksNowhere) {
  TraceDocument document = example();
  document.examples[0].attentions[0].heads.resize(1);
  document.examples[0].attentions[0].heads[0].weights = Tensor::full({3, 4}, kMasked);
  EXPECT_EQ(alignment_bench(document, kGold).looks.at(0).score.found, 0);
}

TEST(AlignmentBench, TakesAllLayersTogetherWhereThereAreSeveral) {
  TraceDocument document = example();
  document.examples[0].attentions[0].heads[1] = {
      .layer = 1, .weights = document.examples[0].attentions[0].heads[1].weights};
  const AlignmentBench bench = alignment_bench(document, kGold);
  ASSERT_EQ(bench.looks.size(), 4u);
  EXPECT_EQ(bench.looks[2].name, "all mean");
  EXPECT_EQ(bench.looks[3].name, "all max");
}

TEST(AlignmentBench, SaysWhatDoesNotFit) {
  EXPECT_NE(message_of([] { alignment_bench(example(), {}); }).find("1 examples and 0 gold"),
            std::string::npos);
  EXPECT_NE(message_of([] { alignment_bench(example(), kGold, "corss"); }).find("cross"),
            std::string::npos);
  TraceDocument other = example();
  other.examples.push_back(other.examples[0]);
  other.examples[1].attentions[0].heads.pop_back();
  const std::vector<text::Alignment> two = {kGold[0], kGold[0]};
  EXPECT_NE(message_of([&] { alignment_bench(other, two); }).find("example 2 has other heads"),
            std::string::npos);
}

TEST(AlignmentBench, ShowsSystemsSideBySide) {
  const AlignmentBench bench = alignment_bench(example(), kGold);
  AlignmentBench other = bench;
  other.model = "rival";
  const std::string one = alignment_table(std::span(&bench, 1));
  EXPECT_NE(one.find("* layer 0 head 0"), std::string::npos) << one;
  EXPECT_NE(one.find("best head: layer 0 head 0, alignment error rate 0.000"), std::string::npos);
  const std::vector<AlignmentBench> both = {bench, other};
  const std::string two = alignment_table(both);
  EXPECT_NE(two.find("\nrival "), std::string::npos) << two;
}

}  // namespace
}  // namespace heed::insight
