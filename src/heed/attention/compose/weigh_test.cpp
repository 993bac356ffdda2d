// SPDX-License-Identifier: Apache-2.0
// Tests of weighing scores on patterns and of the products around it.
#include "heed/attention/compose/weigh.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/attention/compose/products.h"
#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

std::shared_ptr<const BoundPattern> bound(const char* name, const PatternCall& call) {
  return Catalogue<NamedPattern>::find(name)->make()->bind(call);
}

TEST(Weigh, IsSoftmaxOnTheAllowedKeysAndZeroElsewhere) {
  const Tensor scores = wavy({1, 1, 4, 4});
  const auto softmax_part = Catalogue<Normaliser>::find("softmax")->make();
  const Tensor w =
      weigh(*softmax_part, bound("causal", {.queries = 4, .keys = 4}), {.scores = scores})
          .weights.value();
  for (std::int64_t q = 0; q < 4; ++q) {
    const Tensor row = scores.select(2, q).slice(2, 0, q + 1);
    expect_near(w.select(2, q).slice(2, 0, q + 1), softmax(Variable(row)).value(), 1e-6);
    for (std::int64_t k = q + 1; k < 4; ++k) EXPECT_EQ(w.at({0, 0, q, k}), 0);
  }
}

TEST(Weigh, MarksHiddenKeysForTracesAndRefusesNanBesideThem) {
  const auto pattern = bound("causal", {.queries = 2, .keys = 2});
  const Tensor seen = masked_weights(*pattern, Tensor::of({1, 1, 2, 2}, {1, kNan, 0, 1}));
  EXPECT_EQ(seen.at({0, 0, 0, 0}), 1);
  EXPECT_TRUE(is_masked(seen.at({0, 0, 0, 1})));
  EXPECT_EQ(seen.at({0, 0, 1, 0}), 0);
  EXPECT_THROW(masked_weights(*pattern, Tensor::of({1, 1, 2, 2}, {1, 0, kNan, 1})), DataError);
}

TEST(Weigh, DrawsForEachRowAndCallWithNumbersOfItsOwn) {
  const auto part = Catalogue<Normaliser>::find("sample")->make();
  const auto drawn = [&](std::uint64_t stream) {
    return weigh(*part, bound("full", {.heads = 2, .queries = 30, .keys = 8}),
                 {.scores = Tensor::zeros({1, 2, 30, 8}), .random = {3, stream * 60}})
        .weights.value();
  };
  const Tensor weights = drawn(0);
  for (std::int64_t head = 0; head < 2; ++head) {
    const Tensor often = sum(weights.select(1, head).select(0, 0), 0);  // each of eight keys
    for (const Real count : often.values()) EXPECT_LT(count, 15);
  }
  EXPECT_NE(weights.select(1, 0).values(), weights.select(1, 1).values());
  EXPECT_NE(weights.values(), drawn(1).values());
  EXPECT_EQ(weights.values(), drawn(0).values());
}

TEST(Weigh, NeverReadsAMaskedScore) {
  Tensor scores = wavy({1, 1, 3, 3});
  scores.mutable_data()[1] = kNan;  // query 0 may not see key 1
  const auto part = Catalogue<Normaliser>::find("sparsemax")->make();
  const Variable leaf = Variable::leaf(scores);
  const Variable w =
      weigh(*part, bound("causal", {.queries = 3, .keys = 3}), {.scores = leaf}).weights;
  EXPECT_EQ(w.value().at({0, 0, 0, 0}), 1);
  backward(sum(square(w)));
  EXPECT_EQ(leaf.gradient().at({0, 0, 0, 1}), 0);
}

// Learnable alphas that all are the fixed one go row by row; the fixed one as a whole matrix.
TEST(Weigh, GivesTheSameByRowsAndByTheKernelOfWholeMatrices) {
  const auto pattern = bound("full", {.batch = 2, .heads = 2, .queries = 5, .keys = 37});
  const auto part = Catalogue<Normaliser>::find("entmax")->make();
  const auto run = [&](const Variable& parameters) {
    const Variable scores = Variable::leaf(wavy({2, 2, 5, 37}));
    const Variable w = weigh(*part, pattern, {.scores = scores, .parameters = parameters}).weights;
    backward(sum(square(w)));
    return std::pair{w.value(), scores.gradient()};
  };
  const auto rows = run(Tensor::zeros({2, 1}));  // alpha = 1 + sigmoid(0) = 1.5, the default
  const auto whole = run({});
  expect_near(rows.first, whole.first, 1e-6);
  expect_near(rows.second, whole.second, 1e-6);
}

TEST(Weigh, GivesAMatrixNormaliserOnlyTheAllowedCellsOfEachHead) {
  Tensor scores = wavy({2, 2, 3, 3});
  for (std::int64_t t = 0; t < 4; ++t) scores.mutable_data()[9 * t + 1] = kNan;
  const auto part = Catalogue<Normaliser>::find("sinkhorn")->make();
  const Variable leaf = Variable::leaf(scores);
  const Variable w =
      weigh(*part, bound("causal", {.batch = 2, .heads = 2, .queries = 3, .keys = 3}),
            {.scores = leaf})
          .weights;
  backward(sum(square(w)));
  for (std::int64_t t = 0; t < 4; ++t) {
    EXPECT_EQ(w.value().data()[9 * t], 1) << "the first query sees one key";
    EXPECT_EQ(w.value().data()[9 * t + 1], 0);
    EXPECT_EQ(leaf.gradient().data()[9 * t + 1], 0);
    EXPECT_NEAR(w.value().data()[9 * t + 3] + w.value().data()[9 * t + 4], 1, 1e-6);
  }
}

TEST(Products, TakeAnExactZeroForAbsent) {
  const Tensor a = Tensor::of({2, 2}, {0, 2, 1, 0});
  const Tensor b = Tensor::of({2, 2}, {kNan, 1, 3, 4});
  const Tensor y = product_without_zeros(a, b);
  EXPECT_EQ(y.at({0, 0}), 6);
  EXPECT_EQ(y.at({0, 1}), 8);
  EXPECT_TRUE(std::isnan(y.at({1, 0})));
  EXPECT_EQ(y.at({1, 1}), 1);
}

TEST(Products, RefuseHeadsThatDoNotGroup) {
  EXPECT_THROW(dot_products(Variable(wavy({1, 3, 2, 4})), Variable(wavy({1, 2, 2, 4}))),
               UsageError);
  EXPECT_THROW(dot_products(Variable(wavy({1, 2, 2, 4})), Variable(wavy({1, 2, 2, 5}))),
               UsageError);
  EXPECT_THROW(combine(Variable(wavy({1, 2, 2, 4})), Variable(wavy({1, 2, 5, 4}))), UsageError);
}

}  // namespace
}  // namespace heed::attention
