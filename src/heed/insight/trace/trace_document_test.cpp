// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/trace_document.h"

#include <gtest/gtest.h>

#include <cmath>

#include <functional>

#include "heed/base/testing.h"

namespace heed::insight {
namespace {

using test::message_of;

TraceDocument small_document() {
  TracedExample example;
  example.strips = {{.name = "source", .tokens = {"the", "ca", "t"}, .words = {0, 1, 1}},
                    {.name = "target", .tokens = {"chat", "</s>"}, .words = {0, -1}}};
  example.attentions = {
      {.kind = "cross",
       .queries = "target",
       .keys = "source",
       .heads = {{.layer = 0, .head = 0, .weights = Tensor::of({2, 3}, {0, .5, .5, kMasked, 1, 0})},
                 {.layer = 0, .head = 1, .weights = Tensor::zeros({2, 3})}}}};
  example.gold = text::Alignment{{.source = 1, .target = 0}};
  return {.model = "demo", .task = "translate", .examples = {example}};
}

// What check() says once `change` has been made to a document that is right.
std::string complaint(const std::function<void(TracedExample&)>& change) {
  TraceDocument document = small_document();
  change(document.examples[0]);
  return message_of<UsageError>([&] { check(document, "t.json"); });
}

TEST(TraceDocument, PassesWhenItHoldsTogether) {
  EXPECT_NO_THROW(check(small_document()));
}

TEST(TraceDocument, FindsStripsByName) {
  const TraceDocument document = small_document();
  EXPECT_EQ(strip_of(document.examples[0], "target").tokens[0], "chat");
  EXPECT_EQ(message_of<UsageError>([&] { strip_of(document.examples[0], "sorce"); }),
            "trace: there is no strip \"sorce\"; its strips are source, target (did you mean "
            "\"source\"?)");
}

TEST(TraceDocument, NeedsAnExample) {
  EXPECT_EQ(message_of<UsageError>([] { check({}, "t.json"); }), "t.json: there is no example");
}

TEST(TraceDocument, RefusesStripsThatAreNamedTwiceOrMissing) {
  EXPECT_EQ(complaint([](auto& e) { e.strips[1].name = "source"; }),
            "t.json: examples[0].strips[1]: the name \"source\" is given twice");
  EXPECT_EQ(complaint([](auto& e) { e.attentions[0].keys = "image"; }),
            "t.json: examples[0].attentions[0].keys: there is no strip \"image\"; its strips are "
            "source, target");
}

TEST(TraceDocument, RefusesWordsThatDoNotFitTheTokens) {
  EXPECT_EQ(complaint([](auto& e) {
              e.strips[0].words = {0, 1};
            }),
            "t.json: examples[0].strips[0].words: 2 words for 3 tokens: it takes the word of each "
            "token");
  EXPECT_EQ(complaint([](auto& e) {
              e.strips[0].words = {1, 0, 0};
            }),
            "t.json: examples[0].strips[0].words[1]: word 0 comes after word 1: they go up");
  EXPECT_EQ(complaint([](auto& e) {
              e.strips[0].words = {0, -2, 1};
            }),
            "t.json: examples[0].strips[0].words[1]: -2 is not a word: they count from 0, and -1 "
            "is no word");
}

TEST(TraceDocument, RefusesWeightsThatDoNotFitTheTokens) {
  EXPECT_EQ(complaint([](auto& e) {
              e.attentions[0].heads[1].weights = Tensor::zeros({3, 2});
            }),
            "t.json: examples[0].attentions[0].heads[1].weights: the shape is [3,2]: 2 queries of "
            "\"target\" by 3 keys of \"source\" take [2,3]");
  EXPECT_NE(complaint([](auto& e) { e.attentions[0].heads[0].weights = {}; }).find("missing"),
            std::string::npos);
}

TEST(TraceDocument, RefusesNegativeAndInfiniteWeightsButNotMaskedOnes) {
  EXPECT_EQ(complaint([](auto& e) {
              e.attentions[0].heads[1].weights = Tensor::of({2, 3}, {0, 0, 0, 0, -.25, 0});
            }),
            "t.json: examples[0].attentions[0].heads[1].weights[1][1]: -0.25 is negative: weights "
            "are at least 0 and finite");
  EXPECT_EQ(complaint([](auto& e) {
              e.attentions[0].heads[1].weights =
                  Tensor::full({2, 3}, std::numeric_limits<Real>::infinity());
            }),
            "t.json: examples[0].attentions[0].heads[1].weights[0][0]: inf is infinite: weights "
            "are at least 0 and finite");
}

TEST(TraceDocument, RefusesHeadsTwiceOutOfOrderOrBelowZero) {
  EXPECT_EQ(complaint([](auto& e) { e.attentions[0].heads[1].head = 0; }),
            "t.json: examples[0].attentions[0].heads[1]: layer 0, head 0 comes twice, after layer "
            "0, head 0: heads go up by layer, then by head");
  EXPECT_NE(complaint([](auto& e) { e.attentions[0].heads[0].layer = 1; }).find("go up"),
            std::string::npos);
  EXPECT_NE(complaint([](auto& e) { e.attentions[0].heads[0].layer = -1; }).find("count from 0"),
            std::string::npos);
  EXPECT_EQ(complaint([](auto& e) { e.attentions[0].heads.clear(); }),
            "t.json: examples[0].attentions[0].heads: there is no head");
}

TEST(TraceDocument, RefusesGoldLinksBeyondTheWords) {
  EXPECT_EQ(complaint([](auto& e) { e.gold->push_back({.source = 2, .target = 0}); }),
            "t.json: examples[0].gold: the link 2-0 lies beyond 2 words of the source and 1 of the "
            "target");
}

TEST(TraceDocument, RefusesAnImageThatDoesNotFit) {
  const auto with = [](ImageGrid image) { return [image](TracedExample& e) { e.image = image; }; };
  EXPECT_EQ(complaint(with({.strip = "source", .rows = 2, .columns = 2})),
            "t.json: examples[0].image: 2 x 2 regions, but the strip \"source\" has 3 tokens");
  EXPECT_NE(complaint(with({.strip = "source", .rows = 0, .columns = 2})).find("at least 1"),
            std::string::npos);
  EXPECT_EQ(complaint(with({.strip = "source", .rows = 1, .columns = 2, .png = "GIF89a"})),
            "t.json: examples[0].image.png: these 6 bytes are not a PNG file");
  EXPECT_EQ(complaint(with({.strip = "source", .rows = 1, .columns = 2, .gold = {{.5, 0, .5, 1}}})),
            "t.json: examples[0].image.gold[0]: from 0.5, 0 to 0.5, 1; a box is left, top, right, "
            "bottom");
  EXPECT_EQ(
      complaint(
          with({.strip = "source", .rows = 1, .columns = 2, .looks = {{}, {{.right = INFINITY}}}})),
      "t.json: examples[0].image.looks[1][0]: an edge that is no number");
}

}  // namespace
}  // namespace heed::insight
