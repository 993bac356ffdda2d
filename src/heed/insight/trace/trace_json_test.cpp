// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/trace_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"

namespace heed::insight {
namespace {

using test::message_of;
using test::TemporaryFolder;

constexpr const char* kOwn = R"({"format": "heed-trace", "version": 1, "model": "demo",
  "task": "translate",
  "examples": [{"title": "a cat",
    "strips": [{"name": "source", "tokens": ["the", "▁ca", "t"], "words": [0, 1, 1]},
               {"name": "target", "tokens": ["chat", "</s>"], "words": [0, -1]}],
    "attentions": [{"kind": "cross", "queries": "target", "keys": "source", "stepwise": true,
      "heads": [{"layer": 0, "head": 0, "weights": [[0.125, null, 0], [1e-30, 1, 0.7]]}]}],
    "gold": "0-0 1p0",
    "image": {"strip": "source", "rows": 1, "columns": 3}}]})";

std::string complaint(std::string_view text) {
  return message_of<DataError>([&] { parse_trace_json(text, "t.json"); });
}

// kOwn with one part replaced.
std::string own_with(std::string_view part, std::string_view replacement) {
  std::string text = kOwn;
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), replacement);
}

TEST(TraceJson, ReadsEveryFieldOfItsOwnForm) {
  const TraceDocument document = parse_trace_json(kOwn);
  EXPECT_EQ(document.model, "demo");
  EXPECT_EQ(document.task, "translate");
  const TracedExample& example = document.examples.at(0);
  EXPECT_EQ(example.title, "a cat");
  EXPECT_EQ(example.strips[0].tokens, (std::vector<std::string>{"the", "▁ca", "t"}));
  EXPECT_EQ(example.strips[1].words, (std::vector<int>{0, -1}));
  const AttentionSet& set = example.attentions.at(0);
  EXPECT_EQ(set.kind, "cross");
  EXPECT_TRUE(set.stepwise);
  const Tensor& weights = set.heads.at(0).weights;
  EXPECT_EQ(weights.shape(), (Shape{2, 3}));
  EXPECT_EQ(weights.at({0, 0}), Real{.125});
  EXPECT_TRUE(std::isnan(weights.at({0, 1}))) << "null is masked";
  EXPECT_EQ(weights.at({1, 0}), Real(1e-30));
  EXPECT_EQ(text::to_pharaoh(*example.gold), "0-0 1p0");
  EXPECT_EQ(example.image->columns, 3);
}

TEST(TraceJson, ReadsBackWhatItWroteToTheSameBits) {
  TraceDocument document = parse_trace_json(kOwn);
  document.examples[0].image->png = "\x89PNG\r\n\x1A\n and the rest";
  document.examples[0].image->gold = {{.25, 0, .75, .5}};
  document.examples[0].image->looks = {{{-.25, 0, .5, 1}, {0, 0, 1, 1}}, {}};
  Tensor& weights = document.examples[0].attentions[0].heads[0].weights;
  weights.mutable_data()[4] = std::nextafter(Real{1} / 3, Real{1});
  const std::string text = to_trace_json(document);
  const TraceDocument again = parse_trace_json(text);
  EXPECT_EQ(again.examples[0].attentions[0].heads[0].weights.at({1, 1}), weights.at({1, 1}));
  EXPECT_TRUE(std::isnan(again.examples[0].attentions[0].heads[0].weights.at({0, 1})));
  EXPECT_EQ(again.examples[0].image->png, document.examples[0].image->png);
  EXPECT_EQ(again.examples[0].image->gold, document.examples[0].image->gold);
  EXPECT_EQ(again.examples[0].image->looks, document.examples[0].image->looks);
  EXPECT_EQ(to_trace_json(again), text);
}

TEST(TraceJson, KeepsTheHeadOfADocumentApartFromItsWeights) {
  const TraceDocument document = parse_trace_json(kOwn);
  const std::string text = to_trace_json_without_weights(document);
  EXPECT_EQ(text.find("weights"), std::string::npos);
  const TraceDocument head = parse_trace_json_without_weights(text, "t");
  EXPECT_EQ(head.examples[0].strips[0].tokens, document.examples[0].strips[0].tokens);
  EXPECT_FALSE(head.examples[0].attentions[0].heads[0].weights.defined());
}

TEST(TraceJson, ReplacesBytesOfTokensThatAreNoUtf8) {
  TraceDocument document = parse_trace_json(kOwn);
  document.examples[0].strips[0].tokens[0] = "a\xFF";
  EXPECT_EQ(parse_trace_json(to_trace_json(document)).examples[0].strips[0].tokens[0], "a\uFFFD");
}

TEST(TraceJson, ReadsAPlainMatrix) {
  const TraceDocument document = parse_trace_json(
      R"({"source": ["the", "cat"], "target": ["le"], "weights": [[0.75, null]]})");
  const AttentionSet& set = document.examples[0].attentions[0];
  EXPECT_EQ(set.kind, "cross");
  EXPECT_EQ(set.heads[0].weights.at({0, 0}), Real{.75});
  EXPECT_TRUE(std::isnan(set.heads[0].weights.at({0, 1})));
}

TEST(TraceJson, ReadsPlainLayersOfHeads) {
  const TraceDocument document = parse_trace_json(
      R"({"source": ["a"], "target": ["b", "c"],
          "weights": [[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]})");
  const auto& heads = document.examples[0].attentions[0].heads;
  ASSERT_EQ(heads.size(), 4u);
  EXPECT_EQ(heads[2].layer, 1);
  EXPECT_EQ(heads[2].head, 0);
  EXPECT_EQ(heads[3].weights.at({1, 0}), Real{8});
}

TEST(TraceJson, SaysWhereTheTextIsNoJson) {
  EXPECT_NE(complaint("{\n \"format\": \"heed-trace\",,")
                .find("t.json: line 2, column 25: this is "
                      "not JSON"),
            std::string::npos)
      << complaint("{\n \"format\": \"heed-trace\",,");
  EXPECT_NE(complaint("").find("line 1, column 1"), std::string::npos);
  EXPECT_NE(complaint(own_with("0.125", "NaN")).find("null is a masked weight"), std::string::npos);
  EXPECT_NE(complaint("{\"model\": \"\xFF\"}").find("UTF-8"), std::string::npos);
}

TEST(TraceJson, NamesUnknownKeysAndTheNearestKnownOne) {
  EXPECT_EQ(complaint(own_with("\"words\": [0, 1, 1]", "\"wrods\": [0, 1, 1]")),
            "t.json: examples[0].strips[0]: the key \"wrods\" is unknown (did you mean "
            "\"words\"?); it takes name, tokens, words");
  EXPECT_EQ(complaint(own_with("\"layer\": 0", "\"layers\": 0")).substr(0, 73),
            "t.json: examples[0].attentions[0].heads[0]: the key \"layers\" is unknown (");
  EXPECT_EQ(complaint(own_with("\"model\"", "\"modle\"")),
            "t.json: the key \"modle\" is unknown (did you mean \"model\"?); it takes format, "
            "version, examples, model, task");
  EXPECT_EQ(complaint(R"({"source": [], "target": [], "wieghts": []})"),
            "t.json: the key \"wieghts\" is unknown (did you mean \"weights\"?); it takes source, "
            "target, weights, title");
}

TEST(TraceJson, RefusesKeysThatComeTwice) {
  EXPECT_EQ(complaint(own_with("\"task\": \"translate\"", "\"model\": \"other\"")),
            "t.json: the key \"model\" comes twice in one object");
}

TEST(TraceJson, SaysWhatIsMissingOrOfAnotherKind) {
  EXPECT_EQ(complaint(own_with("\"kind\": \"cross\", ", "")),
            "t.json: examples[0].attentions[0]: \"kind\" is missing");
  EXPECT_EQ(complaint(own_with("\"version\": 1", "\"version\": 2")),
            "t.json: version: version 2 is newer than this program, which reads version 1");
  EXPECT_EQ(complaint(own_with("\"heed-trace\"", "\"other\"")),
            "t.json: format: \"other\" where \"heed-trace\" belongs");
  EXPECT_EQ(complaint(own_with("\"the\"", "7")),
            "t.json: examples[0].strips[0].tokens[0]: 7 where a text belongs");
  EXPECT_EQ(complaint(own_with("\"layer\": 0", "\"layer\": -1")),
            "t.json: examples[0].attentions[0].heads[0].layer: -1 where a whole number from 0 on "
            "belongs");
  EXPECT_EQ(complaint(own_with("\"stepwise\": true", "\"stepwise\": 1")),
            "t.json: examples[0].attentions[0].stepwise: 1 where true or false belongs");
  EXPECT_EQ(complaint("[1]"), "t.json: [1] where an object {...} belongs");
}

TEST(TraceJson, RefusesNumbersThatDoNotFitTheTokens) {
  EXPECT_EQ(complaint(own_with("[0.125, null, 0]", "[0.125, null]")),
            "t.json: examples[0].attentions[0].heads[0].weights[0]: 2 weights for 3 keys");
  EXPECT_EQ(complaint(own_with("[0.125, null, 0], ", "")),
            "t.json: examples[0].attentions[0].heads[0].weights: the shape is [1,3]: 2 queries of "
            "\"target\" by 3 keys of \"source\" take [2,3]");
  EXPECT_EQ(complaint(own_with("0.125", "-0.125")),
            "t.json: examples[0].attentions[0].heads[0].weights[0][0]: -0.125 is negative: weights "
            "are at least 0 and finite");
  EXPECT_EQ(complaint(own_with("0.125", "\"much\"")),
            "t.json: examples[0].attentions[0].heads[0].weights[0][0]: \"much\" where a weight or "
            "null belongs");
  EXPECT_NE(complaint(own_with("0.125", "1e300")).find("infinite"), std::string::npos);
  EXPECT_NE(complaint(own_with("0.125", "1e999")).find("this is not JSON that can be read"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"source": ["a"], "target": ["b"], "weights": [1]})")
                .find("[layers][heads][targets][sources]"),
            std::string::npos);
}

TEST(TraceJson, RefusesStripsGoldAndImagesThatAreNone) {
  EXPECT_EQ(complaint(own_with("\"keys\": \"source\"", "\"keys\": \"sauce\"")),
            "t.json: examples[0].attentions[0].keys: there is no strip \"sauce\"; its strips are "
            "source, target");
  EXPECT_NE(complaint(own_with("0-0 1p0", "0:0")).find("t.json: examples[0].gold"),
            std::string::npos);
  EXPECT_EQ(complaint(own_with("\"columns\": 3", "\"columns\": 3, \"png\": \"?\"")),
            "t.json: examples[0].image.png: this is not base64 text");
}

TEST(TraceJson, RefusesDeepBracketsWithoutFollowingThem) {
  EXPECT_EQ(complaint(std::string(1'000'000, '[')),
            "t.json: brackets are nested more than 16 deep");
}

TEST(TraceJson, ReadsAFileAndNamesIt) {
  const TemporaryFolder folder;
  test::put(folder / "t.json", kOwn);
  EXPECT_EQ(read_trace_json(folder / "t.json").model, "demo");
  EXPECT_NE(message_of<DataError>([&] { read_trace_json(folder / "none.json"); }).find("none.json"),
            std::string::npos);
}

TEST(TraceJson, RefusesEveryTruncationOfAGoodTrace) {
  const std::string text = kOwn;
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_NE(complaint(text.substr(0, length)), "(no error was thrown)") << length;
  }
}

}  // namespace
}  // namespace heed::insight
