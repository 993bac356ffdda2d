// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/alignment.h"

#include <gtest/gtest.h>

#include "heed/tensor/testing.h"

namespace heed::decoding {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;

// "la mai_son bleue </s>" of "the blue house </s>": two layers of two heads.
std::vector<AttentionPath> attentions() {
  using attention::Role;
  const Tensor first = Tensor::zeros({2, 5, 4});
  Tensor last = Tensor::of({2, 5, 4}, {.8, .1, .1, 0,  //
                                       .1, .2, .7, 0,  //
                                       0, .1, .9, 0,   //
                                       0, .6, .1, .3,  //
                                       0, 0, 0, 1,
                                       // the other head
                                       .4, .3, .3, 0,   //
                                       .1, .4, .5, 0,   //
                                       .2, .3, .3, .2,  //
                                       0, .8, .1, .1,   //
                                       0, 0, 0, 1});
  return {{{.role = Role::cross, .layer = 0}, first},
          {{.role = Role::self, .layer = 1}, Tensor::zeros({2, 5, 5})},
          {{.role = Role::cross, .layer = 1}, last}};
}

const std::vector<int> kSource = {0, 1, 2};     // the blue house
const std::vector<int> kTarget = {0, 1, 1, 2};  // la mai_son bleue

TEST(Alignment, AveragesTheHeadsOfTheLastLayer) {
  const Tensor weights = alignment_weights(attentions());
  ASSERT_EQ(weights.shape(), Shape({5, 4}));
  EXPECT_NEAR(weights.at({0, 0}), .6, 1e-6);
  EXPECT_NEAR(weights.at({3, 1}), .7, 1e-6);
  EXPECT_NEAR(alignment_weights(attentions(), {.heads = {1}}).at({0, 0}), .4, 1e-6);
  EXPECT_EQ(alignment_weights(attentions(), {.layer = 0}).at({0, 0}), 0);
}

TEST(Alignment, LinksEachWordToTheOneItLooksAtMost) {
  const auto tokens = token_links(alignment_weights(attentions()));
  EXPECT_EQ(text::to_pharaoh(tokens), "0-0 1-3 2-1 2-2 3-4");
  const auto words = word_links(tokens, {kSource, kTarget});
  EXPECT_EQ(text::to_pharaoh(words), "0-0 1-2 2-1");  // the two halves of "maison" are one word
}

TEST(Alignment, LinksAllAboveAThreshold) {
  const auto tokens = token_links(alignment_weights(attentions()), .3);
  EXPECT_EQ(text::to_pharaoh(word_links(tokens, {kSource, kTarget})), "0-0 1-1 1-2 2-1");
  EXPECT_TRUE(token_links(alignment_weights(attentions()), 1.5).empty());
}

TEST(Alignment, LeavesAWordThatLooksAtTheEndAlone) {
  const auto tokens = token_links(Tensor::of({2, 3}, {.1, .2, .7, .6, .2, .2}));
  EXPECT_EQ(text::to_pharaoh(word_links(tokens, {std::vector<int>{0, 1}, std::vector<int>{0, 1}})),
            "0-1");
}

TEST(Alignment, AddsWeightsOverSourceTokensAndAveragesThemOverTargetTokens) {
  const std::vector<int> source = {0, 1, 1};
  const Tensor weights = word_weights(alignment_weights(attentions()), {source, kTarget});
  expect_near(weights, Tensor::of({3, 2}, {.6, .4, (.1 + .1) / 2, (.9 + .8) / 2, 0, .8}), 1e-6);
}

TEST(Alignment, RefusesLayersAndHeadsThatAreNotThere) {
  EXPECT_NE(message_of([] { alignment_weights(attentions(), {.layer = 5}); }).find("in layer 5"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              alignment_weights(attentions(), {.heads = {2}});
            }).find("head 2 of layer 1, which has heads 0 to 1"),
            std::string::npos);
  EXPECT_NE(message_of([] { alignment_weights({}); }).find("0 attentions"), std::string::npos);
  EXPECT_NE(message_of([] { token_links(Tensor::zeros({3})); }).find("[T,K]"), std::string::npos);
}

}  // namespace
}  // namespace heed::decoding
