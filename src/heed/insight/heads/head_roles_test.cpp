// SPDX-License-Identifier: Apache-2.0
// Heads made by hand that do one thing each, and what is found of them.
#include "heed/insight/heads/head_roles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/attention/observer.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::insight {
namespace {

using attention::kMasked;
using heed::testing::message_of;
using Choice = std::function<std::int64_t(std::int64_t query)>;

// Two pieces, a word that comes again, two others, a mark.
RoleTokens some_tokens() {
  return {.tokens = {"un", "fit", "dog", "saw", "a", "dog", "."},
          .words = {0, 0, 1, 2, 3, 4, 5},
          .ranks = {60, 70, 3, 40, 700, 3, 0}};
}

// A head for each choice: all weight on the chosen key, or shared by all for -1.
Tensor heads_of(const std::vector<Choice>& choices, std::int64_t size, bool causal = false) {
  Tensor weights =
      Tensor::full({static_cast<std::int64_t>(choices.size()), size, size}, causal ? kMasked : 0);
  for (std::size_t h = 0; h < choices.size(); ++h) {
    for (std::int64_t q = 0; q < size; ++q) {
      const std::int64_t seen = causal ? q + 1 : size;
      const std::int64_t chosen = choices[h](q);
      for (std::int64_t k = 0; k < seen; ++k) {
        const Real even = 1 / static_cast<Real>(seen);
        weights.mutable_data()[(static_cast<std::int64_t>(h) * size + q) * size + k] =
            chosen < 0 ? even : (k == std::min(chosen, seen - 1) ? Real{1} : Real{0});
      }
    }
  }
  return weights;
}

std::vector<HeadRoles> found_of(const Tensor& weights, const RoleTokens& tokens,
                                std::vector<std::int32_t> links = {}) {
  RoleCounts counts({.frequent = 500});
  for (int i = 0; i < kLeastRoleQueries; ++i) {
    counts.add(
        {.weights = weights, .queries = &tokens, .keys = &tokens, .same = true, .links = links});
  }
  return counts.found();
}

using Names = std::vector<std::string>;

TEST(HeadRoles, NameWhatEachHeadDoes) {
  const RoleTokens tokens = some_tokens();
  const auto found = found_of(
      heads_of({[](std::int64_t q) { return q > 0 ? q - 1 : 0; }, [](std::int64_t) { return 4; },
                [](std::int64_t) { return 6; }, [](std::int64_t q) { return q < 2 ? 1 - q : 4; },
                [](std::int64_t q) { return q == 2 ? 5 : 2; }, [](std::int64_t) { return -1; }},
               7),
      tokens);
  EXPECT_EQ(found[0].names(), Names{"position -1"});
  EXPECT_EQ(found[1].names(), Names{"rare words"});
  EXPECT_EQ(found[2].names(), Names{"ends and marks"});
  EXPECT_EQ(found[3].names(), (Names{"rare words", "rest of the word"}));
  EXPECT_EQ(found[4].names(), Names{"copies"});
  EXPECT_EQ(found[5].names(), Names{});

  EXPECT_EQ(found[0].offset, -1);
  EXPECT_DOUBLE_EQ(found[0].positional.found, 1);
  EXPECT_EQ(found[0].positional.queries, 6 * kLeastRoleQueries);  // the first has none before it
  EXPECT_DOUBLE_EQ(found[0].distance, 6. / 7);
  EXPECT_DOUBLE_EQ(found[0].confidence, 1);
  EXPECT_NEAR(found[0].density, 1. / 7, 1e-12);
  EXPECT_DOUBLE_EQ(found[1].rare.found, 1);
  EXPECT_NEAR(found[1].rare.chance, 1. / 7, 1e-12);
  EXPECT_DOUBLE_EQ(found[3].merging.found, 1);
  EXPECT_EQ(found[3].merging.queries, 2 * kLeastRoleQueries);
  EXPECT_NEAR(found[5].entropy, std::log2(7), 1e-6);
  EXPECT_NEAR(found[5].sink.found, found[5].sink.chance, 1e-6);
}

TEST(HeadRoles, AreNotNamedByAFewQueries) {
  const RoleTokens tokens = some_tokens();
  RoleCounts counts;
  counts.add({.weights = heads_of({[](std::int64_t) { return 4; }}, 7),
              .queries = &tokens,
              .keys = &tokens,
              .same = true});
  EXPECT_DOUBLE_EQ(counts.found()[0].rare.found, 1);
  EXPECT_EQ(counts.found()[0].names(), Names{});
}

TEST(HeadRoles, InductionLooksAtWhatCameAfterTheSameTokenBefore) {
  RoleCounts counts;
  for (int i = 0; i < kLeastRoleQueries; ++i) {
    // The words come again after one word, or after three.
    const std::int64_t apart = i % 2 == 0 ? 4 : 6;
    RoleTokens tokens;
    for (std::int64_t t = 0; t < 2 * apart; ++t) {
      tokens.tokens.push_back(std::string(1, static_cast<char>('a' + t % apart)));
      tokens.words.push_back(static_cast<int>(t));
    }
    counts.add({.weights = heads_of({[&](std::int64_t q) { return q < apart ? 0 : q - apart + 1; },
                                     [&](std::int64_t q) { return q < apart ? 0 : q - apart; }},
                                    2 * apart, true),
                .queries = &tokens,
                .keys = &tokens,
                .same = true});
  }
  const std::vector<HeadRoles> found = counts.found();
  EXPECT_DOUBLE_EQ(found[0].induction.found, 1);
  EXPECT_EQ(found[0].induction.queries, kLeastRoleQueries / 2 * (4 + 6));
  EXPECT_EQ(found[0].names(), Names{"induction"});
  EXPECT_EQ(found[1].names(), Names{"copies"});
  // The first token sees only itself and does not count.
  EXPECT_EQ(found[0].queries, kLeastRoleQueries / 2 * (7 + 11));
}

TEST(HeadRoles, LinksAreOfWordsAndHaveToBeatTheBestDistance) {
  // Words 0 to 5; each hangs on word 2, which is the root.
  const RoleTokens tokens = some_tokens();
  const std::vector<std::int32_t> links = {2, 2, 2, 2, 2, 2};
  const auto found = found_of(heads_of({[](std::int64_t q) { return q == 3 ? 2 : 3; },
                                        [](std::int64_t q) { return q > 0 ? q - 1 : 0; }},
                                       7),
                              tokens, links);
  EXPECT_DOUBLE_EQ(found[0].to_head.found, 1);
  EXPECT_EQ(found[0].to_head.queries, 5 * kLeastRoleQueries);
  EXPECT_NEAR(found[0].to_head.chance, .2, 1e-12);
  EXPECT_DOUBLE_EQ(found[0].to_head_by_distance, .2);
  EXPECT_DOUBLE_EQ(found[0].to_dependents.found, 1);
  EXPECT_DOUBLE_EQ(found[1].to_head.found, .2);
  EXPECT_EQ(found[0].names().front(), "to its head");
  EXPECT_THROW(found_of(heads_of({[](std::int64_t) { return 0; }}, 7), tokens, {0, 0}), UsageError);
}

TEST(HeadRoles, DivergenceOfHeadsThatAgreeIsNothing) {
  const auto first = [](std::int64_t) { return 0; };
  const auto same = found_of(heads_of({first, first}, 7), some_tokens());
  EXPECT_DOUBLE_EQ(same[0].divergence, 0);
  const auto apart = found_of(heads_of({first, [](std::int64_t) { return 3; }}, 7), some_tokens());
  EXPECT_DOUBLE_EQ((apart[0].divergence + apart[1].divergence) / 2, 1);  // one bit tells them apart
}

TEST(HeadRoles, WeightsThatDoNotFitAreRefused) {
  const RoleTokens tokens = some_tokens();
  RoleCounts counts;
  EXPECT_EQ(
      message_of([&] {
        counts.add({.weights = Tensor::zeros({1, 2, 7}), .queries = &tokens, .keys = &tokens});
      }),
      "roles of heads: weights [1,2,7] for 7 queries and 7 keys; it takes [H,Q,K]");
  EXPECT_TRUE(counts.found().empty());
}

}  // namespace
}  // namespace heed::insight
