// SPDX-License-Identifier: Apache-2.0
// Pictures of explanations: strips of one answer, matrices of several steps.
#include "heed/insight/draw/shares_picture.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/insight/trace/signed_set.h"

namespace heed::insight {
namespace {

TraceDocument explained(std::int64_t steps) {
  TracedExample example{.title = "not good"};
  example.strips = {{.name = "text", .tokens = {"not", "good", "here"}}, {.name = "answer"}};
  Tensor shares = Tensor::zeros({steps, 3});
  for (std::int64_t q = 0; q < steps; ++q) {
    example.strips[1].tokens.push_back("answer " + std::to_string(q));
    shares.mutable_data()[3 * q] = Real(.5);
    shares.mutable_data()[3 * q + 1] = Real(-.25);
  }
  example.attentions = {
      signed_set("leave_one_out", "answer", "text", shares),
      signed_set("occlusion", "answer", "text", Tensor::full({steps, 3}, kMasked))};
  return {.examples = {example}};
}

TEST(SharesPicture, TellsSignZeroAndMaskedApart) {
  for (const std::int64_t steps : {1, 3}) {
    const std::string svg = svg_of_shares(explained(steps));
    EXPECT_NE(svg.find("<svg"), svg.npos);
    EXPECT_EQ(svg, svg_of_shares(explained(steps))) << "the same bytes again";
    TraceDocument plain = explained(steps);
    plain.examples[0].attentions.pop_back();  // nothing is masked: another legend
    EXPECT_NE(svg_of_shares(plain), svg);
  }
}

TEST(SharesPicture, IsOfExplanationsOnly) {
  TraceDocument document = explained(1);
  for (AttentionSet& set : document.examples[0].attentions) set.kind = "cross";
  EXPECT_THROW(svg_of_shares(document), UsageError);
  EXPECT_THROW(svg_of_shares(explained(1), {.example = 1}), UsageError);
}

}  // namespace
}  // namespace heed::insight
