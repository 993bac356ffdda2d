// SPDX-License-Identifier: Apache-2.0
#include "server/api/answer_trace.h"

#include <gtest/gtest.h>

#include "heed/insight/trace/trace_json.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

insight::TracedExample example() {
  const Tensor weights = Tensor::of({2, 2}, {Real{1}, insight::kMasked, Real{0.123456}, Real{0}});
  return {.title = "a b",
          .strips = {{.name = "source", .tokens = {"a", "</s>"}, .words = {0, -1}},
                     {.name = "target", .tokens = {"A", "</s>"}}},
          .attentions = {{.kind = "cross",
                          .queries = "target",
                          .keys = "source",
                          .stepwise = true,
                          .heads = {{0, 0, weights}, {0, 1, weights}, {1, 0, weights}}}}};
}

TEST(AnswerTrace, IsATraceFile) {
  const std::string text =
      trace_json(chosen_heads(example(), {.wanted = true}), "m", "translate").dump();
  const insight::TraceDocument read = insight::parse_trace_json(text);
  EXPECT_EQ(read.model, "m");
  ASSERT_EQ(read.examples[0].attentions[0].heads.size(), 3u);
  const Tensor& weights = read.examples[0].attentions[0].heads[0].weights;
  EXPECT_TRUE(std::isnan(weights.at({0, 1})));
  EXPECT_NEAR(weights.at({1, 0}), .1235, 1e-6);  // four digits
  EXPECT_NE(text.find("[0.1235,0.0]"), std::string::npos) << text;
}

TEST(AnswerTrace, HasTheImageThatWasLookedAt) {
  insight::TracedExample looked = example();
  looked.image = insight::ImageGrid{
      .strip = "source", .rows = 1, .columns = 2, .looks = {{{0, 0, .5, 1}}, {}}};
  const insight::TraceDocument read =
      insight::parse_trace_json(trace_json(looked, "m", "look").dump());
  ASSERT_TRUE(read.examples[0].image);
  EXPECT_EQ(read.examples[0].image->columns, 2);
  EXPECT_EQ(read.examples[0].image->looks, looked.image->looks);
}

TEST(AnswerTrace, HasTheHeadsThatAreWishedFor) {
  const auto heads = [](const TraceRequest& request) {
    std::string text;
    const auto sets =
        trace_json(chosen_heads(example(), request), "", "")["examples"][0]["attentions"];
    for (const auto& set : sets) {
      for (const auto& head : set["heads"]) {
        text += head["layer"].dump() + "." + head["head"].dump() + " ";
      }
    }
    return text;
  };
  EXPECT_EQ(heads({.layers = {0}}), "0.0 0.1 ");
  EXPECT_EQ(heads({.heads = {0}}), "0.0 1.0 ");
  EXPECT_EQ(heads({.layers = {1}, .heads = {1}}), "");
}

TEST(AnswerTrace, IsNotMadeOfTooMuch) {
  insight::TracedExample large = example();
  for (insight::TracedHead& head : large.attentions[0].heads) {
    head.weights = Tensor::zeros({600, 600});
  }
  EXPECT_NO_THROW(chosen_heads(large, {.heads = {0}}));
  EXPECT_THROW(chosen_heads(large, {}), HttpError);
}

}  // namespace
}  // namespace heed::server
