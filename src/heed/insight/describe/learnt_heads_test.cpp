// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/describe/learnt_heads.h"

#include <gtest/gtest.h>

#include <limits>

namespace heed::insight {
namespace {

const double kNone = std::numeric_limits<double>::quiet_NaN();

AttentionSet set_of(const std::string& kind) {
  AttentionSet set{.kind = kind};
  for (const int layer : {0, 1}) {
    for (const int head : {0, 1}) set.heads.push_back({.layer = layer, .head = head});
  }
  return set;
}

TEST(LearntHeads, GoToTheirPlacesInATrace) {
  TraceDocument document;
  document.examples.push_back(
      {.attentions = {set_of("encoder self"), set_of("decoder self"), set_of("cross")}});
  add_learnt(document, {{"decoder.layers.1.self", "alpha", {1.25, kNone}},
                        {"decoder.layers.1.self", "span", {40, 3}},
                        {"encoder.layers.0.self", "span", {7, 8}},
                        {"decoder.layers.0.cross", "alpha", {2, 1}}});
  const auto learnt = [&](std::size_t set) {
    std::vector<std::string> all;
    for (const TracedHead& head : document.examples[0].attentions[set].heads) {
      all.push_back(head.learnt);
    }
    return all;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(learnt(0), (Texts{"span 7", "span 8", "", ""}));
  EXPECT_EQ(learnt(1), (Texts{"", "", "alpha 1.25, span 40", "span 3"}));
  EXPECT_EQ(learnt(2), (Texts{"alpha 2", "alpha 1", "", ""}));
}

TEST(LearntHeads, AreReadFromTheParametersOfEachModule) {
  const ModelFacts facts{
      .options = {{"encoder-attention", "scaled_dot | full | entmax(learnable=true)"},
                  {"decoder-attention", "scaled_dot"},
                  {"cross-attention", "adaptive_span(longest=10, ramp=2)"}},
      .parameters = {{"encoder.layers.0.self.normaliser", {2, 1}},
                     {"decoder.layers.0.self.W_Q.weight", {4, 4}},
                     {"decoder.layers.0.cross.a", {2}}}};
  const std::vector<LearntHeads> found =
      learnt_heads(facts, [](const std::string& path) -> std::vector<double> {
        if (path == "encoder.layers.0.self.normaliser") return {0, 0};
        if (path == "decoder.layers.0.cross.a") return {0, 100};
        return {};
      });
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].module, "encoder.layers.0.self");
  EXPECT_EQ(found[0].name, "alpha");
  EXPECT_EQ(found[0].heads, (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(found[1].name, "reach");
  EXPECT_EQ(found[1].heads, (std::vector<double>{7, 12}));
}

}  // namespace
}  // namespace heed::insight
