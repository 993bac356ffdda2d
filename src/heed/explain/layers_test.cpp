// SPDX-License-Identifier: Apache-2.0
#include "heed/explain/layers.h"

#include <gtest/gtest.h>

#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

TEST(Layers, AreReadRowByRow) {
  const Tensor matrix = Tensor::of({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(row_times(std::vector<double>{1, -1}, matrix), (std::vector<double>{-2, -2}));
}

TEST(Layers, AttendEvenlyToWhatCanBeSeen) {
  Looks looks = two_tokens(0);
  EXPECT_EQ(even_weights_of(looks)[1].values(), (std::vector<Real>{.5, .5, .5, .5}));
  looks.causal = true;
  EXPECT_EQ(even_weights_of(looks)[1].values(), (std::vector<Real>{1, 0, .5, .5}));
  EXPECT_EQ(weights_of(looks).size(), 2u);
  EXPECT_NE(causal_note(looks, "so"), "");
  looks.layers.clear();
  EXPECT_EQ(causal_note(looks, "so"), "") << "without layers nothing is ahead";
}

}  // namespace
}  // namespace heed::explain
