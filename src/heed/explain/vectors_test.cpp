// SPDX-License-Identifier: Apache-2.0
#include "heed/explain/vectors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed::explain {
namespace {

TEST(Vectors, HaveProductsAndLengthsByToken) {
  const Vectors a = {{3, 4}, {}, {1, 0, 2}}, b = {{1, -1}, {}, {2, 5, 1}};
  EXPECT_EQ(products(a, b), (std::vector<double>{-1, 0, 4}));
  EXPECT_EQ(lengths(a), (std::vector<double>{5, 0, std::sqrt(5.)}));
  EXPECT_EQ(scaled(a, -2)[0], (std::vector<double>{-6, -8}));
}

}  // namespace
}  // namespace heed::explain
