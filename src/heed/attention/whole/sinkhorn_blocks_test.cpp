// SPDX-License-Identifier: Apache-2.0
// Sinkhorn blocks beside a plain computation of the same, number by number.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

std::unique_ptr<Attention> sinkhorn_of(const std::string& text) {
  Random random(1);
  return make_attention(text, {.query_width = 3, .key_width = 3, .value_width = 2}, random);
}

// Seven tokens in blocks of three; the last block has one.
TEST(SinkhornBlocks, AreAPlainComputationOfTheSame) {
  constexpr std::int64_t kTokens = 7, kBlock = 3, kBlocks = 3, kWidth = 3;
  const auto look = sinkhorn_of("sinkhorn_blocks(size=3, blocks=4, iterations=5)");
  const Tensor query = wavy({1, 1, kTokens, kWidth}), keys = wavy({1, 1, kTokens, kWidth}, 1),
               values = wavy({1, 1, kTokens, 2}, 2);
  const Tensor w = nn::parameters(*look)[0].variable.value();
  const auto key = [&](std::int64_t j, std::int64_t d) {
    return j < kTokens ? static_cast<double>(keys.at({0, 0, j, d})) : 0.0;
  };
  double shares[kBlocks][kBlocks];
  for (std::int64_t b = 0; b < kBlocks; ++b) {
    for (std::int64_t c = 0; c < kBlocks; ++c) {
      double logit = 0;
      for (std::int64_t t = 0; t < kBlock; ++t) {
        for (std::int64_t d = 0; d < kWidth; ++d) {
          logit += static_cast<double>(w.at({c, d})) * key(b * kBlock + t, d);
        }
      }
      shares[b][c] = std::exp(logit / 0.75);
    }
  }
  for (int i = 0; i < 5; ++i) {
    for (auto& row : shares) {
      const double total = row[0] + row[1] + row[2];
      for (double& x : row) x /= total;
    }
    for (int c = 0; c < kBlocks; ++c) {
      const double total = shares[0][c] + shares[1][c] + shares[2][c];
      for (auto& row : shares) row[c] /= total;
    }
  }
  Tensor weights = Tensor::zeros({1, 1, kTokens, kTokens});
  for (std::int64_t q = 0; q < kTokens; ++q) {
    const std::int64_t b = q / kBlock;
    double own[kBlock] = {}, sorted[kBlock] = {}, total = 0;
    for (std::int64_t t = 0; t < kBlock; ++t) {
      double own_score = 0, sorted_score = 0;
      for (std::int64_t d = 0; d < kWidth; ++d) {
        const auto x = static_cast<double>(query.at({0, 0, q, d})) / std::sqrt(3.0);
        own_score += x * key(b * kBlock + t, d);
        for (std::int64_t c = 0; c < kBlocks; ++c) {
          sorted_score += x * shares[b][c] * key(c * kBlock + t, d);
        }
      }
      own[t] = b * kBlock + t < kTokens ? std::exp(own_score) : 0;
      sorted[t] = std::exp(sorted_score);
      total += own[t] + sorted[t];
    }
    for (std::int64_t j = 0; j < kTokens; ++j) {
      double weight = sorted[j % kBlock] * shares[b][j / kBlock];
      if (j / kBlock == b) weight += own[j % kBlock];
      weights.mutable_data()[q * kTokens + j] = static_cast<Real>(weight / total);
    }
  }
  const Attended found = look->attend(query, look->memory(keys, values), {}, {.weights = true});
  expect_near(found.weights.value(), weights, 1e-5);
}

TEST(SinkhornBlocks, WithOneBlockIsSoftmaxAttention) {
  const Tensor query = wavy({1, 1, 5, 3}), keys = wavy({1, 1, 5, 3}, 1),
               values = wavy({1, 1, 5, 2}, 2);
  const auto context = [&](const char* text) {
    const auto look = sinkhorn_of(text);
    return look->attend(query, look->memory(keys, values)).context.value();
  };
  expect_near(context("sinkhorn_blocks(size=8)"), context("scaled_dot"), 1e-5);
}

TEST(SinkhornBlocks, DrawNoiseInTrainingOnly) {
  const auto look = sinkhorn_of("sinkhorn_blocks(size=2, blocks=4)");
  const Tensor x = wavy({1, 1, 8, 3}), values = wavy({1, 1, 8, 2}, 2);
  const auto context = [&](Random* noise) {
    return look->attend(x, look->memory(x, values), {}, {.noise = noise}).context.value();
  };
  Random one(1), again(1);
  const Tensor noisy = context(&one);
  EXPECT_NE(noisy.values(), context(nullptr).values());
  expect_near(noisy, context(&again), 0);
}

TEST(SinkhornBlocks, SayHowManyBlocksTheyHave) {
  const auto look = sinkhorn_of("sinkhorn_blocks(size=2, blocks=2)");
  const Tensor x = wavy({1, 1, 5, 3}), values = wavy({1, 1, 5, 2});
  EXPECT_EQ(message_of([&] { look->attend(x, look->memory(x, values)); }),
            "sinkhorn_blocks: 5 keys are 3 blocks of 2; blocks is 2, set it to the most there will "
            "be");
}

}  // namespace
}  // namespace heed::attention
