// SPDX-License-Identifier: Apache-2.0
// Shares as two heads, in any trace and back.
#include "heed/insight/trace/signed_set.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/insight/draw/matrix_view.h"
#include "heed/insight/trace/trace_json.h"

namespace heed::insight {
namespace {

TraceDocument explained() {
  TracedExample example;
  example.strips = {{.name = "text", .tokens = {"not", "good", "at", "all"}},
                    {.name = "answer", .tokens = {"mood = sad"}}};
  const Tensor shares = Tensor::of({1, 4}, {Real(.5), Real(-.25), 0, kMasked});
  example.attentions = {signed_set("leave_one_out", "answer", "text", shares)};
  return {.examples = {example}};
}

TEST(SignedSet, ComesBackFromATraceThatKnowsNoSigns) {
  const TraceDocument read = parse_trace_json(to_trace_json(explained()));
  const AttentionSet& set = read.examples[0].attentions[0];
  ASSERT_TRUE(is_signed(set));
  EXPECT_EQ(method_of(set), "leave_one_out");
  EXPECT_EQ(set.heads[0].weights.at({0, 0}), Real(.5));
  EXPECT_EQ(set.heads[1].weights.at({0, 1}), Real(.25));
  const Tensor shares = signed_shares(set);
  EXPECT_EQ(shares.at({0, 1}), Real(-.25));
  EXPECT_EQ(shares.at({0, 2}), 0);
  EXPECT_TRUE(attention::is_masked(shares.at({0, 3})));
}

TEST(SignedSet, IsLookedAtWithItsSigns) {
  const TraceDocument document = explained();
  const MatrixView view = matrix_view(document.examples[0]);
  EXPECT_EQ(view.title, "shares: leave_one_out");
  EXPECT_EQ(view.weights.at({0, 1}), Real(-.25));
  // A threshold is one of magnitudes, and one half alone is as it was written.
  EXPECT_EQ(matrix_view(document.examples[0], {.threshold = .3}).weights.at({0, 1}), 0);
  EXPECT_EQ(matrix_view(document.examples[0], {.threshold = .3}).weights.at({0, 0}), Real(.5));
  const MatrixViewOptions half{.head = 1, .aggregate = Aggregate::head};
  EXPECT_EQ(matrix_view(document.examples[0], half).weights.at({0, 1}), Real(.25));
}

TEST(SignedSet, IsNothingElse) {
  AttentionSet set = explained().examples[0].attentions[0];
  set.heads.pop_back();
  EXPECT_FALSE(is_signed(set));
  EXPECT_THROW(signed_shares(set), UsageError);
  set.kind = "cross";
  EXPECT_EQ(method_of(set), "cross");
}

}  // namespace
}  // namespace heed::insight
