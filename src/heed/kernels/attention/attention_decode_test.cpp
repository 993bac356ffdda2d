// SPDX-License-Identifier: Apache-2.0
// Attention of a few queries against a plain computation in double, over shapes, strides, masks and
// changes, on every CPU target.
#include "heed/kernels/attention/attention_decode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

// Each key is allowed with `chance`, but none at all in tiles whose number is a multiple of 5, and
// none for a query whose number is a multiple of 3.
class RandomMask final : public KeyMask {
 public:
  RandomMask(std::size_t keys, double chance) : keys_(keys), chance_(chance) {}
  bool allows(std::size_t b, std::size_t h, std::size_t q, std::size_t k) const {
    if (k / kMaskKeys % 5 == 0 || q % 3 == 2) return false;
    if (chance_ == 1) return true;
    std::uint64_t x = (((b * 31 + h) * 1009 + q) * 100003 + k) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return static_cast<double>(x >> 40) * 0x1p-24 < chance_;
  }
  TileCover classify(const TileRange& tile) const noexcept override {
    bool any = false, all = true;
    for (std::size_t q = tile.query_begin; q < tile.query_end; ++q) {
      for (std::size_t k = tile.key_begin; k < tile.key_end; ++k) {
        const bool allowed = allows(tile.batch, tile.head, q, k);
        any = any || allowed;
        all = all && allowed;
      }
    }
    return !any ? TileCover::empty : all ? TileCover::full : TileCover::mixed;
  }
  void allowed(std::size_t b, std::size_t h, std::size_t q, std::span<const std::size_t> tiles,
               std::uint64_t* words) const noexcept override {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      words[i] = 0;
      for (std::size_t c = 0; c < kMaskKeys && tiles[i] + c < keys_; ++c) {
        words[i] |= std::uint64_t{allows(b, h, q, tiles[i] + c)} << c;
      }
    }
  }

 private:
  std::size_t keys_;
  double chance_;
};

// Adds a number that tells every batch row, head, query and key from the others.
double place_bias(std::size_t b, std::size_t h, std::size_t q, std::size_t k) {
  return std::sin(static_cast<double>(b * 7 + h * 3 + q * 11 + k));
}
template <typename T>
class PlaceBias final : public ScoreChange<T> {
 public:
  void change(const ScoreTile<T>& scores) const noexcept override {
    for (std::size_t r = 0; r < scores.rows; ++r) {
      for (std::size_t c = 0; c < scores.columns; ++c) {
        scores.row(r)[c] +=
            static_cast<T>(place_bias(scores.batch, scores.head, scores.query + r, scores.key + c));
      }
    }
  }
  void derivative(const ScoreTile<const T>&, T*, T*) const noexcept override {}
};
template <typename T>
class Halved final : public ScoreChange<T> {
 public:
  void change(const ScoreTile<T>& scores) const noexcept override {
    for (std::size_t r = 0; r < scores.rows; ++r) {
      for (std::size_t c = 0; c < scores.columns; ++c) scores.row(r)[c] *= T{0.5};
    }
  }
  void derivative(const ScoreTile<const T>&, T*, T*) const noexcept override {}
};

struct Case {
  AttentionSizes sizes;
  double chance = -1;       // of a key to be allowed; negative: no mask
  bool changed = false;     // whether scores are halved and biased
  bool heads_last = false;  // [B,S,H,D] instead of [B,H,S,D]
  std::size_t gap = 0;      // elements between rows

  std::string text() const {
    const AttentionSizes& s = sizes;
    return "B" + std::to_string(s.batch) + " H" + std::to_string(s.heads) + " G" +
           std::to_string(s.key_heads) + " Q" + std::to_string(s.queries) + " K" +
           std::to_string(s.keys) + " D" + std::to_string(s.width) + " V" +
           std::to_string(s.value_width) + " chance " + std::to_string(chance) +
           (changed ? " changed" : "") + (heads_last ? " heads last" : "") + " gap " +
           std::to_string(gap);
  }
};

// An operand in a guarded buffer that ends with its last row.
template <typename T>
struct Operand {
  Operand(const Case& c, std::size_t heads, std::size_t length, std::size_t width,
          std::uint32_t seed)
      : row(width + c.gap),
        size(c.sizes.batch * heads * length == 0 ? 0
                                                 : c.sizes.batch * heads * length * row - c.gap),
        buffer(size, seed % 3) {
    fill_uniform(buffer.data(), size, -2, 2, seed);
    view = c.heads_last ? Heads<T>{buffer.data(), length * heads * row, row, heads * row}
                        : Heads<T>{buffer.data(), heads * length * row, length * row, row};
  }
  Heads<const T> read() const {
    return {view.data, view.batch_stride, view.head_stride, view.row_stride};
  }
  std::size_t row, size;
  GuardedBuffer<T> buffer;
  Heads<T> view;
};

template <typename T>
struct Problem {
  explicit Problem(const Case& c)
      : query(c, c.sizes.heads, c.sizes.queries, c.sizes.width, 1),
        keys(c, c.sizes.key_heads, c.sizes.keys, c.sizes.width, 2),
        values(c, c.sizes.key_heads, c.sizes.keys, c.sizes.value_width, 3),
        context(c, c.sizes.heads, c.sizes.queries, c.sizes.value_width, 4),
        log_sum_exp(c.sizes.batch * c.sizes.heads * c.sizes.queries),
        mask(c.sizes.keys, c.chance) {
    call = {.sizes = c.sizes,
            .query = query.read(),
            .keys = keys.read(),
            .values = values.read(),
            .scale = static_cast<T>(0.7),
            .changes = c.changed ? std::span<const ScoreChange<T>* const>(changes)
                                 : std::span<const ScoreChange<T>* const>(),
            .mask = c.chance < 0 ? nullptr : &mask};
  }
  bool run() { return attention_decode(call, context.view, log_sum_exp.data()); }

  Operand<T> query, keys, values, context;
  GuardedBuffer<T> log_sum_exp;
  RandomMask mask;
  Halved<T> halved;
  PlaceBias<T> bias;
  const ScoreChange<T>* changes[2] = {&halved, &bias};
  AttentionCall<T> call;
};

// The context of one row and its log-sum-exp, in double.
template <typename T>
double reference_row(const Case& c, const Problem<T>& problem, std::size_t b, std::size_t h,
                     std::size_t q, std::vector<double>& context) {
  const AttentionSizes& s = c.sizes;
  const std::size_t g = h / (s.heads / s.key_heads);
  std::vector<double> scores(s.keys, -std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < s.keys; ++k) {
    if (c.chance >= 0 && !problem.mask.allows(b, h, q, k)) continue;
    double score = 0;
    for (std::size_t i = 0; i < s.width; ++i) {
      score += static_cast<double>(problem.query.view.row(b, h, q)[i]) *
               static_cast<double>(problem.keys.view.row(b, g, k)[i]);
    }
    score *= static_cast<double>(problem.call.scale);
    scores[k] = c.changed ? 0.5 * score + place_bias(b, h, q, k) : score;
  }
  context.assign(s.value_width, 0);
  const double most = s.keys == 0 ? -std::numeric_limits<double>::infinity()
                                  : *std::max_element(scores.begin(), scores.end());
  if (std::isinf(most)) return most;
  double sum = 0;
  for (std::size_t k = 0; k < s.keys; ++k) {
    const double weight = std::exp(scores[k] - most);
    if (weight == 0) continue;
    sum += weight;
    for (std::size_t i = 0; i < s.value_width; ++i) {
      context[i] += weight * static_cast<double>(problem.values.view.row(b, g, k)[i]);
    }
  }
  for (double& x : context) x /= sum;
  return most + std::log(sum);
}

template <typename T>
void expect_equal_to_reference(const Case& c) {
  SCOPED_TRACE(c.text());
  Problem<T> problem(c);
  EXPECT_TRUE(problem.run());
  const double allowed = std::is_same_v<T, float> ? 1e-5 : 1e-13;
  const AttentionSizes& s = c.sizes;
  double worst = 0;
  std::vector<double> context;
  for (std::size_t b = 0; b < s.batch; ++b) {
    for (std::size_t h = 0; h < s.heads; ++h) {
      for (std::size_t q = 0; q < s.queries; ++q) {
        const double expected = reference_row(c, problem, b, h, q, context);
        const auto found =
            static_cast<double>(problem.log_sum_exp[(b * s.heads + h) * s.queries + q]);
        if (std::isinf(expected)) {
          EXPECT_EQ(found, expected);
        } else {
          worst = std::max(worst, std::abs(found - expected) / (1 + std::abs(expected)));
        }
        const T* row = problem.context.view.row(b, h, q);
        for (std::size_t i = 0; i < s.value_width; ++i) {
          const double error = std::abs(static_cast<double>(row[i]) - context[i]);
          worst = std::max(worst, std::isfinite(error) ? error : INFINITY);
        }
      }
    }
  }
  EXPECT_LT(worst, allowed);
}

void expect_equal_to_reference(const Case& c) {
  expect_equal_to_reference<float>(c);
  expect_equal_to_reference<double>(c);
}

TEST(AttentionDecode, EqualsAPlainComputationOverARandomSweep) {
  on_every_target([] {
    std::mt19937 random(7);
    const auto one_of = [&](std::initializer_list<std::size_t> choices) {
      return choices.begin()[random() % choices.size()];
    };
    for (int i = 0; i < 250; ++i) {
      const std::size_t key_heads = one_of({1, 2, 3});
      expect_equal_to_reference({.sizes = {.batch = one_of({1, 2}),
                                           .heads = key_heads * one_of({1, 2, 3, 4, 5, 8}),
                                           .key_heads = key_heads,
                                           .queries = one_of({1, 1, 2, 3, 7}),
                                           .keys = one_of({1, 2, 3, 63, 64, 65, 130, 191, 300}),
                                           .width = one_of({1, 3, 8, 15, 16, 33, 64}),
                                           .value_width = one_of({1, 5, 16, 31, 64, 72})},
                                 .chance = std::array{-1.0, 0.1, 0.5, 1.0}[random() % 4],
                                 .changed = random() % 2 == 0,
                                 .heads_last = random() % 2 == 0,
                                 .gap = one_of({0, 0, 1, 9})});
    }
  });
}

TEST(AttentionDecode, HoldsForLongMemoriesAndWideHeads) {
  on_every_target([] {
    for (const double chance : {-1.0, 0.3, 1.0}) {
      expect_equal_to_reference(
          {.sizes = {1, 4, 1, 1, 2500, 64, 64}, .chance = chance, .changed = chance > 0});
      expect_equal_to_reference({.sizes = {1, 2, 2, 2, 1030, 256, 256}, .chance = chance});
      expect_equal_to_reference({.sizes = {2, 2, 1, 1, 1100, 200, 131}, .chance = chance});
    }
  });
}

TEST(AttentionDecode, GivesZerosWithoutAKey) {
  on_every_target([] {
    expect_equal_to_reference({.sizes = {2, 4, 2, 1, 0, 8, 5}});
    expect_equal_to_reference({.sizes = {2, 4, 2, 1, 40, 8, 5}, .chance = 0});
    expect_equal_to_reference({.sizes = {1, 2, 1, 3, 1100, 8, 5}, .chance = 0});
  });
}

TEST(AttentionDecode, TakesBatchesWithoutARow) {
  on_every_target([] {
    expect_equal_to_reference({.sizes = {0, 2, 1, 1, 4, 8, 8}});
    expect_equal_to_reference({.sizes = {2, 2, 1, 0, 4, 8, 8}});
  });
}

TEST(AttentionDecode, SurvivesScoresFarApart) {
  on_every_target([] {
    Case c{.sizes = {1, 4, 1, 1, 700, 16, 16}};
    Problem<float> problem(c);
    problem.call.scale = 40;
    for (std::size_t i = 0; i < 16; ++i) problem.keys.view.row(0, 0, 500)[i] *= 9;
    EXPECT_TRUE(problem.run());
    std::vector<double> context;
    for (std::size_t h = 0; h < 4; ++h) {
      reference_row(c, problem, 0, h, 0, context);
      for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_NEAR(static_cast<double>(problem.context.view.row(0, h, 0)[i]), context[i], 1e-3);
      }
    }
  });
}

TEST(AttentionDecode, GivesTheSameBitsWhateverTheThreads) {
  for (const AttentionSizes& sizes :
       {AttentionSizes{1, 4, 1, 1, 5000, 64, 64}, AttentionSizes{32, 2, 1, 1, 1100, 16, 16}}) {
    const Case c{.sizes = sizes, .chance = 0.7};
    std::vector<std::vector<float>> found;
    for (const int threads : {1, 2, 3}) {
      ThreadScope scope(threads);
      Problem<float> problem(c);
      EXPECT_TRUE(problem.run());
      found.emplace_back(problem.context.view.data,
                         problem.context.view.data + problem.context.size);
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
  }
}

TEST(AttentionDecode, TellsWhenAContextIsNotFinite) {
  on_every_target([] {
    Problem<float> problem({.sizes = {1, 2, 1, 1, 100, 16, 9}});
    problem.values.view.row(0, 0, 70)[8] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(problem.run());
    problem.values.view.row(0, 0, 70)[8] = 1;
    EXPECT_TRUE(problem.run());
    problem.keys.view.row(0, 0, 99)[3] = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(problem.run());
  });
}

TEST(AttentionDecode, NeverTouchesTilesWithoutAnAllowedKey) {
  on_every_target([] {
    // Keys 0 to 63 and 320 to 383 are hidden from everyone: NaN there reaches no result.
    Problem<float> problem({.sizes = {1, 4, 1, 1, 400, 16, 16}, .chance = 1});
    for (const std::size_t key : {std::size_t{5}, std::size_t{350}}) {
      problem.keys.view.row(0, 0, key)[0] = std::numeric_limits<float>::quiet_NaN();
      problem.values.view.row(0, 0, key)[0] = std::numeric_limits<float>::quiet_NaN();
    }
    EXPECT_TRUE(problem.run());
  });
}

TEST(AttentionDecode, EqualsTheBlockedKernelWithAndWithoutDropout) {
  on_every_target([] {
    for (const double probability : {0.0, 0.3}) {
      const Case c{.sizes = {2, 8, 2, 3, 777, 48, 40}, .chance = 0.5, .changed = true};
      Problem<float> problem(c), blocked(c);
      problem.call.dropout =
          blocked.call.dropout = {.probability = probability, .seed = 5, .stream = 2};
      EXPECT_TRUE(problem.run());
      EXPECT_TRUE(
          attention_forward(blocked.call, blocked.context.view, blocked.log_sum_exp.data()));
      for (std::size_t i = 0; i < problem.context.size; ++i) {
        EXPECT_NEAR(problem.context.buffer[i], blocked.context.buffer[i], 1e-5);
      }
    }
  });
}

TEST(AttentionDecode, FitsAFewRowsPerKeyHead) {
  EXPECT_TRUE(decode_fits({1, 8, 2, 1, 4096, 64, 64}));
  EXPECT_FALSE(decode_fits({1, 8, 8, 256, 4096, 64, 64}));
}

}  // namespace
}  // namespace heed::kernels
