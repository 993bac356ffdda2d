// SPDX-License-Identifier: Apache-2.0
// For tests of fused ops: a mechanism run fused and composed on the same numbers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/given_testing.h"
#include "heed/attention/mechanism.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {

using heed::testing::expect_near;
using heed::testing::wavy;

struct Outcome {
  Tensor context;
  std::vector<Tensor> gradients;  // of query, keys, values and parameters
};

struct Sizes {
  std::int64_t batch, heads, key_heads, queries, keys, width, value_width;
  std::string text() const {
    return fmt::format("B{} H{} G{} Q{} K{} D{} V{}", batch, heads, key_heads, queries, keys, width,
                       value_width);
  }
};

// Normal numbers, heads outside or inside rows.
inline Variable drawn(const Shape& shape, Random& random, bool heads_inside) {
  Tensor x(heads_inside ? Shape{shape[0], shape[2], shape[1], shape[3]} : shape);
  Real* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) data[i] = static_cast<Real>(random.normal());
  return Variable::leaf(heads_inside ? x.transpose(1, 2) : x);
}

inline Outcome run(const std::string& text, const Sizes& sizes, std::uint64_t seed,
                   const GivenData& data, AttendOptions options) {
  Random random(seed);
  Random noise(seed + 1);
  options.noise = &noise;
  options.given = data.of_queries();
  Mechanism look(text,
                 {.query_width = sizes.width,
                  .key_width = sizes.width,
                  .value_width = sizes.value_width,
                  .heads = sizes.heads,
                  .key_heads = sizes.key_heads},
                 random);
  const bool inside = seed % 2 == 1;
  const Variable query =
      drawn({sizes.batch, sizes.heads, sizes.queries, sizes.width}, random, inside);
  const Variable keys =
      drawn({sizes.batch, sizes.key_heads, sizes.keys, sizes.width}, random, inside);
  const Variable values =
      drawn({sizes.batch, sizes.key_heads, sizes.keys, sizes.value_width}, random, inside);
  const Variable context =
      look.attend(query, look.memory(keys, values, data.of_keys()), {}, options).context;
  const Tensor seed_gradient = wavy(context.shape(), 3);
  if (context.value().size() > 0) backward(context, seed_gradient);
  Outcome result{context.value(), {query.gradient(), keys.gradient(), values.gradient()}};
  for (const nn::Parameter& parameter : nn::parameters(look)) {
    result.gradients.push_back(parameter.variable.gradient());
  }
  return result;
}

// Of sums of float: what they may differ by grows with what is added up. 1 at least.
inline double largest_of(const Tensor& sums) {
  double largest = 1;
  for (const Real one : sums.values()) {
    largest = std::max(largest, std::abs(static_cast<double>(one)));
  }
  return largest;
}

inline void expect_equal(const std::string& text, const Sizes& sizes, std::uint64_t seed,
                         const GivenData& data = {}, const AttendOptions& options = {}) {
  SCOPED_TRACE(text + ", " + sizes.text() + ", seed " + std::to_string(seed));
  AttendOptions composed = options;
  composed.fuse = false;
  const Outcome fused = run(text, sizes, seed, data, options);
  const Outcome reference = run(text, sizes, seed, data, composed);
  expect_near(fused.context, reference.context, 1e-5 * largest_of(reference.context));
  ASSERT_EQ(fused.gradients.size(), reference.gradients.size());
  for (std::size_t i = 0; i < fused.gradients.size(); ++i) {
    SCOPED_TRACE("gradient " + std::to_string(i));
    ASSERT_EQ(fused.gradients[i].defined(), reference.gradients[i].defined());
    if (!fused.gradients[i].defined()) continue;
    expect_near(fused.gradients[i], reference.gradients[i],
                3e-5 * largest_of(reference.gradients[i]));
  }
}

inline Sizes any_sizes(Random& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random.integer(n)); };
  const std::int64_t key_heads = 1 + below(3);
  return {.batch = 1 + below(3),
          .heads = key_heads * (1 + below(3)),
          .key_heads = key_heads,
          .queries = 1 + below(below(2) == 0 ? 20 : 140),
          .keys = 1 + below(below(2) == 0 ? 20 : 200),
          .width = 1 + below(40),
          .value_width = 1 + below(40)};
}

inline const std::vector<std::string> kTerms{
    "scaled_dot",
    "dot",
    "scaled_dot(scale=-0.3)",
    "cosine(strength=3)",
    "scaled_dot + alibi",
    "scaled_dot + soft_cap(cap=2)",
    "scaled_dot + relative_buckets(buckets=8, distance=16)",
    "scaled_dot + soft_cap(cap=3) + alibi",
    "scaled_dot + transformer_xl",
    "dot + transformer_xl(scale=0.2) + soft_cap(cap=3) + alibi"};
inline const std::vector<std::string> kPatterns{"full",
                                                "causal",
                                                "causal(align=end)",
                                                "window(5)",
                                                "window(40) & causal",
                                                "dilated(window=3, step=5)",
                                                "block(16)",
                                                "strided(stride=9)",
                                                "random_blocks(size=8, count=2)",
                                                "(window(4) | globals(3))",
                                                "prefix(11)"};

}  // namespace heed::attention
