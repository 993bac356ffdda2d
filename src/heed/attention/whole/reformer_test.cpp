// SPDX-License-Identifier: Apache-2.0
// Reformer beside a plain search for the keys of each query's bucket, and its shared projection.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/compose/products.h"
#include "heed/attention/multi_head.h"
#include "heed/autograd/ops.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

constexpr std::int64_t kHashedTokens = 40, kHashedWidth = 5, kHashedChunk = 3, kHashedRounds = 2,
                       kHashedHalf = 2;

std::unique_ptr<Attention> reformer_of(const std::string& text) {
  Random random(1);
  return make_attention(
      text, {.query_width = kHashedWidth, .key_width = kHashedWidth, .value_width = 2}, random);
}

// The directions of seed 7, as they are drawn.
std::vector<double> drawn_directions() {
  Random random(7);
  std::vector<double> all(static_cast<std::size_t>(kHashedRounds * kHashedWidth * kHashedHalf));
  for (double& x : all) x = random.normal();
  return all;
}

std::int64_t plain_bucket(const Tensor& x, std::int64_t i, std::int64_t round) {
  static const std::vector<double> directions = drawn_directions();
  double best = 0;
  std::int64_t found = 0;
  for (std::int64_t f = 0; f < kHashedHalf; ++f) {
    double along = 0;
    for (std::int64_t d = 0; d < kHashedWidth; ++d) {
      along += static_cast<double>(x.at({0, 0, i, d})) *
               directions[static_cast<std::size_t>((round * kHashedWidth + d) * kHashedHalf + f)];
    }
    if (std::abs(along) > best) {
      best = std::abs(along);
      found = along > 0 ? f : f + kHashedHalf;
    }
  }
  return found;
}

// The keys in front of i that are of its bucket, i.e. which chunk it is in.
std::int64_t plain_chunk(const Tensor& x, std::int64_t i, std::int64_t round) {
  std::int64_t before = 0;
  for (std::int64_t j = 0; j < i; ++j) {
    before += plain_bucket(x, j, round) == plain_bucket(x, i, round) ? 1 : 0;
  }
  return before / kHashedChunk;
}

Tensor plain_reformer(const Tensor& x, bool causal) {
  Tensor weights = Tensor::zeros({1, 1, kHashedTokens, kHashedTokens});
  for (std::int64_t i = 0; i < kHashedTokens; ++i) {
    std::set<std::int64_t> seen;
    for (std::int64_t round = 0; round < kHashedRounds; ++round) {
      for (std::int64_t j = 0; j < kHashedTokens; ++j) {
        const std::int64_t back = plain_chunk(x, i, round) - plain_chunk(x, j, round);
        if (j == i || (causal && j > i) || back < 0 || back > 1) continue;
        if (plain_bucket(x, i, round) == plain_bucket(x, j, round)) seen.insert(j);
      }
    }
    if (seen.empty()) seen.insert(i);
    double total = 0;
    std::vector<double> shares;
    for (const std::int64_t j : seen) {
      double product = 0, square = 0;
      for (std::int64_t d = 0; d < kHashedWidth; ++d) {
        const auto key = static_cast<double>(x.at({0, 0, j, d}));
        product += static_cast<double>(x.at({0, 0, i, d})) * key;
        square += key * key;
      }
      shares.push_back(std::exp(product / std::sqrt(square * kHashedWidth)));
      total += shares.back();
    }
    std::size_t n = 0;
    for (const std::int64_t j : seen) {
      weights.mutable_data()[i * kHashedTokens + j] = static_cast<Real>(shares[n++] / total);
    }
  }
  return weights;
}

Tensor reformer_noise(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  Tensor x(shape);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x.mutable_data()[i] = static_cast<Real>(random.normal());
  }
  return x;
}

TEST(Reformer, IsTheSoftmaxOverTheKeysThatAPlainSearchFinds) {
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal);
    const auto look = reformer_of(std::string("reformer(rounds=2, buckets=4, chunk=3, seed=7)") +
                                  (causal ? " | causal" : ""));
    const Tensor x = reformer_noise({1, 1, kHashedTokens, kHashedWidth}, 3),
                 values = wavy({1, 1, kHashedTokens, 2}, 2);
    const Attended found = look->attend(x, look->memory(x, values), {}, {.weights = true});
    const Tensor plain = plain_reformer(x, causal);
    expect_near(found.weights.value(), plain, 1e-5);
    expect_near(found.context.value(), combine(plain, values).value(), 1e-5);
    const Attended fused = look->attend(x, look->memory(x, values));
    expect_near(fused.context.value(), found.context.value(), 1e-5);
  }
}

TEST(Reformer, SeesItselfAloneWhereItsBucketsHoldNothingElse) {
  const auto look = reformer_of("reformer(rounds=3, buckets=2) | causal");
  const Tensor x = reformer_noise({1, 1, 6, kHashedWidth}, 4), values = wavy({1, 1, 6, 2}, 2);
  const Tensor context = look->attend(x, look->memory(x, values)).context.value();
  expect_near(context.slice(2, 0, 1), values.slice(2, 0, 1), 1e-6);
}

TEST(Reformer, ProjectsQueriesAndKeysByOneMatrix) {
  Random random(1);
  MultiHead heads({.mechanism = "reformer(buckets=4, chunk=2)", .query_width = 6, .heads = 2},
                  random);
  std::set<std::string> names;
  for (const nn::Parameter& parameter : nn::parameters(heads)) names.insert(parameter.name);
  EXPECT_FALSE(names.contains("W_Q.weight"));
  EXPECT_TRUE(names.contains("W_K.weight"));
  const Variable x = wavy({2, 9, 6});
  EXPECT_EQ(heads(x, x, x).shape(), (Shape{2, 9, 6}));
  EXPECT_EQ(
      message_of([] {
        Random any(1);
        MultiHead({.mechanism = "reformer", .query_width = 6, .heads = 2, .key_heads = 1}, any);
      }),
      "multi_head: \"reformer\" takes queries and keys of one projection: 2 heads of inputs 6 "
      "wide and 1 of inputs 6 wide; make them equal");
}

TEST(Reformer, TakesAnEvenNumberOfBuckets) {
  EXPECT_EQ(message_of([] { reformer_of("reformer(buckets=5)"); }),
            "reformer: buckets is 5; it takes an even number, two for each direction");
}

}  // namespace
}  // namespace heed::attention
