// SPDX-License-Identifier: Apache-2.0
// Continuous attention: moments of weights, values as functions of the place, refusals.
#include <gtest/gtest.h>

#include <memory>

#include "heed/attention/attention.h"
#include "heed/attention/whole/density_weights.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

std::unique_ptr<Attention> continuous_of(const std::string& text) {
  Random random(1);
  return make_attention(text, {.query_width = 4, .key_width = 4, .value_width = 3}, random);
}

CellsSeen line_of(std::int64_t cells, Density of = Density::softmax) {
  return {
      std::make_shared<ValueBasis>(BasisOptions{.of = of, .centres = 30, .widths = {1.0 / 30, .1}}),
      {cells}};
}

TEST(Continuous, HasTheMeanAndVarianceOfItsDiscreteWeights) {
  // Cells of four are at 1/8, 3/8, 5/8, 7/8.
  const Variable line = density_moments(Tensor::of({1, 1, 1, 4}, {0, .5, .5, 0}), line_of(4));
  expect_near(line.value(), Tensor::of({1, 1, 1, 2}, {.5, Real(.015625 + kLeastVariance)}), 1e-7);
}

TEST(Continuous, ReadsASmoothFunctionWhereItLooks) {
  for (const Density of : {Density::softmax, Density::sparsemax}) {
    const CellsSeen cells = line_of(40, of);
    Tensor values({1, 1, 40, 1});
    for (std::int64_t l = 0; l < 40; ++l) {
      const double t = cells.basis->place(l, 40)[0];
      values.mutable_data()[l] = static_cast<Real>(1 + t * t);
    }
    // E[1 + t^2] = 1 + mean^2 + variance
    const Variable weights =
        density_weights(Tensor::of({1, 1, 1, 2}, {Real(.6), Real(.004)}), cells, 40);
    EXPECT_NEAR(sum(weights * reshape(Variable(values), {1, 1, 1, 40})).item(), 1 + .36 + .004,
                4e-3);
  }
}

TEST(Continuous, OfAWellPointedSourceIsNearTheDiscreteContext) {
  // Keys that answer the query far better than the others in one stretch.
  Tensor keys = Tensor::zeros({1, 1, 30, 4}), values({1, 1, 30, 3});
  for (std::int64_t j = 0; j < 30; ++j) {
    keys.mutable_data()[j * 4] = static_cast<Real>(j >= 12 && j < 16 ? 30 : 0);
    for (int d = 0; d < 3; ++d) values.mutable_data()[j * 3 + d] = static_cast<Real>(j * (d + 1));
  }
  const Tensor query = Tensor::of({1, 1, 1, 4}, {1, 0, 0, 0});
  for (const char* text :
       {"continuous(score=scaled_dot)", "continuous(of=sparsemax, score=scaled_dot)"}) {
    const auto look = continuous_of(text);
    const Tensor context = look->attend(query, look->memory(keys, values)).context.value();
    for (int d = 0; d < 3; ++d) EXPECT_NEAR(context.data()[d], 13.5 * (d + 1), .05 * (d + 1));
  }
}

TEST(Continuous, SaysWhatItCannotBeMadeOf) {
  const auto refusal = [](const char* text) { return message_of([&] { continuous_of(text); }); };
  EXPECT_NE(refusal("continuous(score=coverage)").find("looks back at past weights"),
            std::string::npos);
  EXPECT_NE(refusal("continuous(normaliser=sigmoid)").find("no distribution"), std::string::npos);
  EXPECT_NE(refusal("continuous(normaliser=sample)").find("draws"), std::string::npos);
  EXPECT_NE(refusal("continuous(normaliser=tree)").find("weighs all queries together"),
            std::string::npos);
  const auto look = continuous_of("continuous");
  EXPECT_EQ(message_of([&] {
              look->attend(wavy({1, 1, 2, 4}), look->memory(wavy({1, 1, 5, 4}), wavy({1, 1, 5, 3})),
                           {}, {.dropout = Real(.5)});
            }),
            "attend: dropout 0.5, but continuous needs its weights whole; it takes 0");
}

}  // namespace
}  // namespace heed::attention
