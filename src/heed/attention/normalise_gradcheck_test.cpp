// SPDX-License-Identifier: Apache-2.0
// Recorded normalisers and Fenchel-Young losses against finite differences, Real being double.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/attention/normalise.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/testing.h"
#include "heed/autograd/gradcheck.h"

namespace heed::attention {
namespace {

static_assert(sizeof(Real) == 8, "gradient checks are built with HEED_REAL=double");

using Args = std::span<const Variable>;

// Irregular, so that no kink is near.
Tensor values(const Shape& shape, double spread = 1.3) {
  Tensor x(shape);
  double* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    data[i] = spread * std::sin(12.9898 * (static_cast<double>(i) + 1) + 7.8233);
  }
  return x;
}

void expect_right(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                  const std::string& op) {
  const GradcheckResult result = gradcheck(f, inputs);
  EXPECT_TRUE(result.passed) << result.where;
  EXPECT_TRUE(result.ops.contains(op));
}

TEST(NormaliseGradcheck, HoldsForEveryNormaliserOfTheCatalogue) {
  ASSERT_FALSE(Catalogue<Normaliser>::entries().empty());
  for (const std::string& setting : every_setting<Normaliser>()) {
    SCOPED_TRACE(setting);
    const auto part = made_part<Normaliser>(setting);
    if (part->keeps(Promise::surrogate_gradient)) continue;  // not that of its weights
    const auto* matrices = dynamic_cast<const MatrixNormaliser*>(part.get());
    const bool square = matrices != nullptr && matrices->takes() == TableShape::square;
    expect_right([&](Args a) { return normalise(*part, a[0]); },
                 {square ? values({2, 4, 4}) : values({2, 3, 9})}, "weigh");
  }
}

// alpha = 1 + 3 sigmoid(a). At exactly 1 the parameter lies at minus infinity; entmax_alpha_test
// has the slope there.
TEST(NormaliseGradcheck, HoldsForALearnableAlpha) {
  const auto part = normaliser("entmax", {{"learnable", "true"}, {"highest", "4"}});
  for (const double alpha : {1 + 1e-7, 1.12, 1.5, 2.0, 2.5, 3.99}) {
    SCOPED_TRACE(alpha);
    const double a = std::log((alpha - 1) / (4 - alpha));
    expect_right([&](Args v) { return normalise(*part, v[0], {.parameters = v[1]}); },
                 {values({3, 7}), Tensor::of({1}, {a})}, "weigh");
  }
}

TEST(NormaliseGradcheck, HoldsForALearnableChain) {
  for (const char* average : {"false", "true"}) {
    SCOPED_TRACE(average);
    const auto part = normaliser("linear_chain", {{"learnable", "true"}, {"average", average}});
    expect_right([&](Args v) { return normalise(*part, v[0], {.parameters = v[1]}); },
                 {values({3, 7}), Tensor::of({2}, {0.8, -0.35})}, "weigh");
  }
}

TEST(NormaliseGradcheck, HoldsForBounds) {
  Tensor bounds = values({2, 6}, 0.2);
  for (std::int64_t i = 0; i < bounds.size(); ++i) bounds.mutable_data()[i] += 0.3;
  for (const std::string& setting : every_setting<Normaliser>()) {
    SCOPED_TRACE(setting);
    const auto part = made_part<Normaliser>(setting);
    if (!part->takes_bounds()) continue;
    expect_right([&](Args v) { return normalise(*part, v[0], {.bounds = v[1]}); },
                 {values({2, 6}), bounds}, "weigh");
  }
}

TEST(NormaliseGradcheck, HoldsForEntmaxAndSparsemaxByName) {
  for (const double alpha : {1.0, 1 + 1e-7, 1.5, 2.0, 2.5}) {
    SCOPED_TRACE(alpha);
    expect_right([&](Args a) { return entmax(a[0], alpha); }, {values({4, 9})}, "entmax");
  }
  expect_right([](Args a) { return sparsemax(a[0]); }, {values({4, 9})}, "entmax");
}

TEST(NormaliseGradcheck, HoldsForFenchelYoungLosses) {
  const Tensor target = Tensor::of({2, 3}, {0.5, 0.5, 0, 0, 1, 0});
  int with_loss = 0;
  for (const std::string& setting : every_setting<Normaliser>()) {
    SCOPED_TRACE(setting);
    const auto part = made_part<Normaliser>(setting);
    if (weighs_matrices(*part) || !part->regulariser(std::vector<double>{1.0})) continue;
    ++with_loss;
    expect_right([&](Args a) { return fenchel_young_loss(*part, a[0], target); },
                 {values({2, 3}, 0.6)}, "fenchel_young_loss");
  }
  EXPECT_GT(with_loss, 0);
}

// Iterations of Sinkhorn come to their end here, so that its weights are the slope of its maximum.
TEST(NormaliseGradcheck, HoldsForFenchelYoungLossesOfTables) {
  const TableLengths lengths{.queries = Ids::of({2}, {3, 2}), .keys = Ids::of({2}, {3, 2})};
  for (const char* setting : {"tree", "tree(projective=false)", "monotone"}) {
    SCOPED_TRACE(setting);
    const auto part = made_part<Normaliser>(setting);
    const Tensor gold = std::string(setting) == "monotone"
                            ? chosen_weights(Ids::of({2, 3}, {0, 0, 2, 0, 1, -1}), 3)
                            : chosen_weights(Ids::of({2, 3}, {0, 0, 1, 1, 1, -1}), 3);
    expect_right([&](Args a) { return fenchel_young_loss(*part, a[0], gold, lengths); },
                 {values({2, 3, 3}, 0.6)}, "fenchel_young_loss");
  }
  const auto part = made_part<Normaliser>("sinkhorn(iterations=300)");
  const Tensor gold = chosen_weights(Ids::of({2, 3}, {2, 0, 1, 0, 1, -1}), 3);
  expect_right([&](Args a) { return fenchel_young_loss(*part, a[0], gold, lengths); },
               {values({2, 3, 3}, 0.6)}, "fenchel_young_loss");
}

}  // namespace
}  // namespace heed::attention
