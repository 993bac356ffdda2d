// SPDX-License-Identifier: Apache-2.0
// The fused attention kernels against plain loops in double: thousands of random shapes, masks,
// changes and strides, on every CPU target, forward and backward.
#include "heed/kernels/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention/attention_testing.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

AttentionSizes any_sizes(Random& random, std::uint64_t longest) {
  const std::size_t key_heads = 1 + random.integer(2);
  return {.batch = 1 + random.integer(2),
          .heads = key_heads * (1 + random.integer(3)),
          .key_heads = key_heads,
          .queries = 1 + random.integer(longest),
          .keys = random.integer(longest + 1),
          .width = 1 + random.integer(36),
          .value_width = 1 + random.integer(36)};
}

std::string text(const AttentionSizes& n) {
  return "B" + std::to_string(n.batch) + " H" + std::to_string(n.heads) + " G" +
         std::to_string(n.key_heads) + " Q" + std::to_string(n.queries) + " K" +
         std::to_string(n.keys) + " D" + std::to_string(n.width) + " V" +
         std::to_string(n.value_width);
}

template <typename T>
void sweep_cases(std::uint64_t seed, int count, std::uint64_t longest) {
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const AttentionSizes sizes = any_sizes(random, longest);
    SCOPED_TRACE(text(sizes) + ", case " + std::to_string(i));
    AttentionCheck<T>(sizes, random).check();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

// On one thread: where cores are few and busy, the thousands of meetings of two take a minute.
TEST(Attention, EqualsPlainLoopsOverManyShortCases) {
  const ThreadScope scope(1);
  on_every_target([] {
    sweep_cases<float>(1, 800, 24);
    sweep_cases<double>(2, 200, 24);
  });
}

TEST(Attention, EqualsPlainLoopsOverLongerCases) {
  const ThreadScope scope(1);
  on_every_target([] {
    sweep_cases<float>(3, 25, 220);
    sweep_cases<double>(4, 8, 220);
  });
}

// Widths of whole vectors and neither change nor dropout: the calls that the short form takes.
TEST(Attention, EqualsPlainLoopsOverShortSequencesOfEvenWidth) {
  const ThreadScope scope(1);
  on_every_target([] {
    Random random(9);
    for (int i = 0; i < 150; ++i) {
      AttentionSizes sizes = any_sizes(random, 130);
      sizes.value_width = 16 * (1 + random.integer(3));
      SCOPED_TRACE(text(sizes) + ", case " + std::to_string(i));
      AttentionCheck<float>(sizes, random).check();
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(Attention, EqualsPlainLoopsAcrossBlocksOfKeys) {
  const ThreadScope scope(1);
  on_every_target([] {
    Random random(5);
    AttentionCheck<float>({.queries = 7, .keys = 1100, .width = 16, .value_width = 20}, random)
        .check();
    AttentionCheck<float>({.queries = 110, .keys = 700, .width = 64, .value_width = 64}, random)
        .check();
  });
}

TEST(Attention, EqualsPlainLoopsWhateverTheThreads) {
  for (const int threads : {2, 3}) {
    const ThreadScope scope(threads);
    sweep_cases<float>(6, 60, 150);
  }
}

TEST(Attention, GivesTheSameContextForAnyNumberOfThreads) {
  const AttentionSizes sizes{
      .heads = 2, .queries = 400, .keys = 410, .width = 32, .value_width = 32};
  Random random(7);
  AnyHeads<float> query(1, 2, 400, 32, random), keys(1, 1, 410, 32, random),
      values(1, 1, 410, 32, random), first(1, 2, 400, 32, random), second(1, 2, 400, 32, random);
  const AttentionCall<float> call{.sizes = sizes,
                                  .query = query.constant(),
                                  .keys = keys.constant(),
                                  .values = values.constant()};
  attention_forward<float>(call, first.view, nullptr);
  const ThreadScope scope(2);
  attention_forward<float>(call, second.view, nullptr);
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t q = 0; q < 400; ++q) {
      for (std::size_t c = 0; c < 32; ++c) {
        ASSERT_EQ(first.view.row(0, h, q)[c], second.view.row(0, h, q)[c]);
      }
    }
  }
}

TEST(Attention, SaysWhenAMaskedContextIsNotFinite) {
  for (const std::size_t width : {8, 9}) {  // the short form and the long one
    Random random(8);
    const AttentionSizes sizes{.queries = 4, .keys = 4, .width = width, .value_width = width};
    const TableMask mask(sizes, random);
    AnyHeads<float> x(1, 1, 4, width, random), context(1, 1, 4, width, random);
    const AttentionCall<float> call{.sizes = sizes,
                                    .query = x.constant(),
                                    .keys = x.constant(),
                                    .values = x.constant(),
                                    .mask = &mask};
    EXPECT_TRUE(attention_forward<float>(call, context.view, nullptr));
    x.view.row(0, 0, 2)[3] = NAN;
    EXPECT_FALSE(attention_forward<float>(call, context.view, nullptr));
  }
}

}  // namespace
}  // namespace heed::kernels
