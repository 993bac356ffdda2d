// SPDX-License-Identifier: Apache-2.0
// Searching by vectors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/random.h"
#include "heed/pipeline/embed/text_embedder.h"

namespace heed::pipeline {
namespace {

TEST(Nearest, ComparesAllAndBreaksTiesByPlace) {
  const Tensor keys = Tensor::of({5, 2}, {1, 0, 0, 2, 3, 3, 0, 1, -1, 0});
  const auto found = nearest(Tensor::of({2, 2}, {0, 5, 1, 1}), keys, 3);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].size(), 3u);
  EXPECT_EQ(found[0][0].place, 1u);
  EXPECT_EQ(found[0][1].place, 3u);
  EXPECT_EQ(found[0][0].cosine, 1);
  EXPECT_EQ(found[0][1].cosine, 1) << "lengths do not count";
  EXPECT_EQ(found[1][0].place, 2u);
  EXPECT_NEAR(found[1][1].cosine, std::sqrt(.5), 1e-12);
  EXPECT_EQ(nearest(Tensor::of({1, 2}, {0, 5}), keys, 100)[0].size(), 5u);
}

TEST(Nearest, FindsTheSameAsALoopOverTiles) {
  Random random(7);
  Tensor keys({20'000, 3}), query({2, 3});
  for (Tensor* one : {&keys, &query}) {
    for (std::int64_t i = 0; i < one->size(); ++i) {
      one->mutable_data()[i] = static_cast<Real>(random.uniform() - .5);
    }
  }
  const auto found = nearest(query, keys, 5);
  for (std::size_t q = 0; q < 2; ++q) {
    std::vector<std::pair<double, std::size_t>> all;
    for (std::size_t k = 0; k < 20'000; ++k) {
      all.emplace_back(-cosine_of({query.data() + 3 * q, 3}, {keys.data() + 3 * k, 3}), k);
    }
    std::ranges::sort(all);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(found[q][i].place, all[i].second);
      EXPECT_EQ(found[q][i].cosine, -all[i].first);
    }
  }
}

TEST(SearchPairs, CountsHowManyLieBeforeTheOwn) {
  const Tensor first = Tensor::of({3, 2}, {1, 0, 0, 1, 1, 0});
  const Tensor second = Tensor::of({3, 2}, {1, 0, 1, 1, 0, 1});
  const PairSearch search = search_pairs(first, second);
  EXPECT_EQ(search.found, (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(search.by_rank, (std::vector<double>{1, .5, 1. / 3}));
  // A model whose vectors are all alike finds nothing.
  const PairSearch none =
      search_pairs(Tensor::full({3, 2}, Real{1}), Tensor::full({3, 2}, Real{1}));
  EXPECT_EQ(none.found, (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace heed::pipeline
