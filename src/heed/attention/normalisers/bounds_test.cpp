// SPDX-License-Identifier: Apache-2.0
// Bounds that can be meant, and those that cannot.
#include "heed/attention/normalisers/bounds.h"

#include <cmath>

#include "heed/attention/testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

void check(const char* part, const std::vector<Real>& bounds) {
  const auto keys = static_cast<std::int64_t>(bounds.size());
  check_bounds(*normaliser(part), Tensor::of({1, keys}, bounds), {1, keys});
}

TEST(Bounds, AreTakenWhenTheyAddUpToOneOrMore) {
  for (const char* part : {"constrained_softmax", "constrained_sparsemax"}) {
    EXPECT_NO_THROW(check(part, {0, 0.25, 0.75}));
    EXPECT_NO_THROW(check(part, {1, 1, 1}));
    EXPECT_NO_THROW(check(part, std::vector<Real>(10, Real(0.1)))) << "rounding";
  }
}

TEST(Bounds, AreRefusedByTheNameOfThePart) {
  EXPECT_EQ(message_of([] {
              check("constrained_softmax", {0.25, 0.5});
            }),
            "constrained_softmax: the bounds of row 0 add up to 0.75; they must be from 0 and add "
            "up to 1 or more");
  EXPECT_THROW(check("constrained_sparsemax", {-0.5, 2}), UsageError);
  EXPECT_THROW(check("constrained_sparsemax", {static_cast<Real>(NAN), 2}), UsageError);
  EXPECT_THROW(check("constrained_sparsemax", {2, static_cast<Real>(NAN)}), UsageError);
  EXPECT_EQ(message_of([] {
              check("softmax", {1, 1});
            }),
            "softmax: bounds were given, but it takes none");
  EXPECT_EQ(message_of([] {
              check_bounds(*normaliser("constrained_softmax"), Tensor::full({3}, 1), {2, 3});
            }),
            "constrained_softmax: bounds [3] for scores [2,3]; their shapes must be equal");
}

}  // namespace
}  // namespace heed::attention
