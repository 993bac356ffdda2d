// SPDX-License-Identifier: Apache-2.0
// Transformer-XL's terms against their definition, pair by pair.
#include <cmath>

#include "heed/attention/biases/testing.h"
#include "heed/attention/mechanism.h"

namespace heed::attention {
namespace {

using heed::testing::message_of;

TEST(TransformerXl, AddsWhatKeyAndDistanceAreWorth) {
  auto part = made_bias("transformer_xl", {{"scale", "1"}});
  const auto all = parameters_of(*part);
  const Tensor u = all[0].second, v = all[1].second, W = all[2].second;
  const BiasRun run{.queries = 3, .keys = 4, .first_query = 2};
  const Tensor found = run.of(*part);
  const Tensor& query = run.query.value();
  const Tensor& key = run.key.value();
  for (std::int64_t q = 0; q < 3; ++q) {
    for (std::int64_t k = 0; k < 4; ++k) {
      const double away = static_cast<double>(2 + q - k);
      const double r[] = {std::sin(away), std::sin(away * std::pow(10000.0, -2.0 / 3)),
                          std::cos(away)};
      double expected = 0;
      for (int d = 0; d < 3; ++d) {
        expected += u.at({d}) * key.at({0, 0, k, d});
        for (int e = 0; e < 3; ++e) {
          expected += (query.at({0, 0, q, d}) + v.at({d})) * W.at({d, e}) * r[e];
        }
      }
      EXPECT_NEAR(found.at({0, 0, q, k}), expected, 1e-5) << q << " " << k;
    }
  }
}

TEST(TransformerXl, IsAProductOfQueriesAndPlacesThatAFusedKernelTakes) {
  for (const std::int64_t width : {3, 4}) {
    Random random(3);
    const Mechanism look("scaled_dot + transformer_xl | causal",
                         {.query_width = width, .key_width = width, .value_width = 5}, random);
    const Tensor x = heed::testing::wavy({1, 1, 70, width});
    const Memory memory = look.memory(heed::testing::wavy({1, 1, 120, width}, 1),
                                      heed::testing::wavy({1, 1, 120, 5}));
    const AttendOptions late{.given = {.first_query = 50}};
    AttendOptions composed = late;
    composed.fuse = false;
    const Attended found = look.attend(x, memory, {}, late);
    EXPECT_TRUE(found.fused);
    heed::testing::expect_near(found.context.value(),
                               look.attend(x, memory, {}, composed).context.value(), 1e-5);
  }
  Random random(3);
  const Mechanism after("scaled_dot + soft_cap(cap=2) + transformer_xl",
                        {.query_width = 4, .key_width = 4, .value_width = 4}, random);
  const Tensor x = heed::testing::wavy({1, 1, 9, 4});
  EXPECT_FALSE(after.attend(x, after.memory(x, x)).fused) << "the cap comes before it";
}

TEST(TransformerXl, RefusesTwoWidths) {
  EXPECT_EQ(message_of([] { made_bias("transformer_xl", {}, {.query_width = 2, .key_width = 4}); }),
            "transformer_xl: queries of width 2 and keys of width 4; they must be equal");
}

}  // namespace
}  // namespace heed::attention
