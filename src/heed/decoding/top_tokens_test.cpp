// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/top_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/random.h"

namespace heed::decoding {
namespace {

std::vector<text::Token> tokens_of(const std::vector<ScoredToken>& found) {
  std::vector<text::Token> tokens;
  for (const ScoredToken& one : found) tokens.push_back(one.token);
  return tokens;
}

TEST(TopTokens, AreThoseOfAFullSort) {
  Random random(5);
  for (const std::size_t size : {1, 7, 63, 64, 65, 500, 1024, 8003}) {
    std::vector<Real> row(size);
    // Few different values: ties are common, and go to the lower token.
    for (Real& x : row) x = -static_cast<Real>(random.integer(size / 3 + 1));
    std::vector<text::Token> sorted(size);
    std::iota(sorted.begin(), sorted.end(), 0);
    std::ranges::stable_sort(sorted, [&](text::Token a, text::Token b) {
      return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
    });
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{64}, size, size + 9}) {
      const std::size_t kept = std::min(count, size);
      EXPECT_EQ(tokens_of(top_tokens(row, count)),
                std::vector<text::Token>(sorted.begin(),
                                         sorted.begin() + static_cast<std::ptrdiff_t>(kept)))
          << count << " of " << size;
    }
  }
}

TEST(TopTokens, LeavesOutWhatIsImpossible) {
  std::vector<Real> row(200, -std::numeric_limits<Real>::infinity());
  EXPECT_TRUE(top_tokens(row, 4).empty());
  row[150] = -3;
  row[7] = -2;
  EXPECT_EQ(tokens_of(top_tokens(row, 4)), (std::vector<text::Token>{7, 150}));
}

TEST(TopTokens, GivesTheFirstNaNAlone) {
  std::vector<Real> row(200, Real(-1));
  row[70] = row[190] = std::numeric_limits<Real>::quiet_NaN();
  const auto found = top_tokens(row, 4);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].token, 70);
  EXPECT_TRUE(std::isnan(found[0].value));
}

}  // namespace
}  // namespace heed::decoding
