// SPDX-License-Identifier: Apache-2.0
// For the tests of sparse attention: random calls, and the same computed row by row in double from
// the definitions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "heed/kernels/attention/sparse_attention.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/softmax.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {

enum class MaskKind { none, causal, scattered, nothing };

// Query q sees keys up to q, or about half of them (and every fifth query none), or none at all.
class TestMask : public KeyMask {
 public:
  TestMask(MaskKind kind, std::size_t keys) : kind_(kind), keys_(keys) {}
  bool sees(std::size_t query, std::size_t key) const {
    switch (kind_) {
      case MaskKind::none:
        return true;
      case MaskKind::causal:
        return key <= query;
      case MaskKind::scattered:
        return query % 5 != 2 && (query * 7 + key * key * 3 + key / 5) % 11 < 5;
      case MaskKind::nothing:
        break;
    }
    return false;
  }
  TileCover classify(const TileRange& tile) const noexcept override {
    if (kind_ == MaskKind::nothing) return TileCover::empty;
    if (kind_ != MaskKind::causal) return TileCover::mixed;
    if (tile.key_begin >= tile.query_end) return TileCover::empty;
    return tile.key_end <= tile.query_begin + 1 ? TileCover::full : TileCover::mixed;
  }
  void allowed(std::size_t, std::size_t, std::size_t query, std::span<const std::size_t> tiles,
               std::uint64_t* words) const noexcept override {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      words[i] = 0;
      for (std::size_t c = 0; c < kMaskKeys && tiles[i] + c < keys_; ++c) {
        if (sees(query, tiles[i] + c)) words[i] |= std::uint64_t{1} << c;
      }
    }
  }

 private:
  MaskKind kind_;
  std::size_t keys_;
};

// s - slope (h + 1) |q - k|, the slope a parameter.
template <typename T>
class TestDistance : public ScoreChange<T> {
 public:
  void change(const ScoreTile<T>& scores) const noexcept override {
    each(scores, [](T& s, double far) { s -= static_cast<T>(kSlope * far); });
  }
  void derivative(const ScoreTile<const T>& before, T* gradient,
                  T* parameters) const noexcept override {
    const ScoreTile<T> tile{gradient,     before.stride, before.rows,  before.columns,
                            before.batch, before.head,   before.query, before.key};
    each(tile, [&](T& d, double far) { parameters[0] -= static_cast<T>(d * far); });
  }
  std::size_t parameter_count() const noexcept override { return 1; }
  bool adds() const noexcept override { return true; }

 private:
  static constexpr double kSlope = .02;
  template <typename Body>
  static void each(const ScoreTile<T>& tile, const Body& body) {
    for (std::size_t r = 0; r < tile.rows; ++r) {
      for (std::size_t c = 0; c < tile.columns; ++c) {
        const double far = static_cast<double>(tile.query + r) - static_cast<double>(tile.key + c);
        body(tile.row(r)[c], std::abs(far) * static_cast<double>(tile.head + 1));
      }
    }
  }
};

// 2 tanh(s / 2)
template <typename T>
class TestCap : public ScoreChange<T> {
 public:
  void change(const ScoreTile<T>& scores) const noexcept override {
    for (std::size_t r = 0; r < scores.rows; ++r) {
      for (std::size_t c = 0; c < scores.columns; ++c) {
        scores.row(r)[c] = 2 * std::tanh(scores.row(r)[c] / 2);
      }
    }
  }
  void derivative(const ScoreTile<const T>& before, T* gradient, T*) const noexcept override {
    for (std::size_t r = 0; r < before.rows; ++r) {
      for (std::size_t c = 0; c < before.columns; ++c) {
        const T t = std::tanh(before.row(r)[c] / 2);
        gradient[r * before.stride + c] *= 1 - t * t;
      }
    }
  }
};

// What a random call is made of.
struct SparseCase {
  AttentionSizes sizes;
  bool heads_inside = false;  // [B,S,H,D]
  MaskKind mask = MaskKind::none;
  bool changed = false;
  double dropped = 0;
  double deviation = 1;
  SparseNormaliser::Kind kind = SparseNormaliser::Kind::entmax;
  std::vector<double> alpha = {1.5};
  std::size_t k = 3;
  std::size_t room = 0;  // entries per block that the forward pass keeps

  SparseNormaliser normaliser() const { return {.kind = kind, .alpha = alpha, .k = k}; }
};

inline std::string described(const SparseCase& c) {
  const AttentionSizes& s = c.sizes;
  std::string text = "B H G Q K D V";
  for (const std::size_t n : {s.batch, s.heads, s.key_heads, s.queries, s.keys, s.width,
                              s.value_width, static_cast<std::size_t>(c.mask), c.k, c.room}) {
    text += " " + std::to_string(n);
  }
  text += " alpha " + std::to_string(c.alpha[0]);
  return text + (c.changed ? " changed" : "") + (c.dropped > 0 ? " dropped" : "") +
         (c.kind == SparseNormaliser::Kind::entmax ? "" : " top-k");
}

inline SparseCase random_case(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  SparseCase c;
  c.sizes.batch = 1 + below(2);
  c.sizes.key_heads = 1 + below(2);
  c.sizes.heads = c.sizes.key_heads * (1 + below(2));
  c.sizes.queries = below(4) == 0 ? 1 : 1 + below(60);
  c.sizes.keys = below(12) == 0 ? below(2) : 1 + below(below(3) == 0 ? 400 : 90);
  c.sizes.width = 1 + below(40);
  c.sizes.value_width = below(2) == 0 ? c.sizes.width : 1 + below(80);
  c.heads_inside = below(2) == 0;
  c.mask = std::array{MaskKind::none, MaskKind::causal, MaskKind::scattered,
                      MaskKind::nothing}[below(7) / 2];
  c.changed = below(3) == 0;
  c.dropped = below(4) == 0 ? .3 : 0;
  c.deviation = std::array{0., .3, 1., 3.}[below(4)];
  c.kind = below(4) == 0 ? SparseNormaliser::Kind::topk_softmax : SparseNormaliser::Kind::entmax;
  constexpr double kAlphas[] = {1, 1.0001, 1.3, 1.5, 1.5, 1.8, 2, 2};
  c.alpha.assign(below(2) == 0 ? 1 : c.sizes.heads, 0);
  for (double& alpha : c.alpha) alpha = kAlphas[below(8)];
  c.k = 1 + below(below(2) == 0 ? 6 : 100);
  c.room = std::array<std::size_t, 3>{0, 100, 48 * 400}[below(3)];
  return c;
}

// A tensor [B, heads, length, width] in guarded memory, with a gap after every row.
template <typename T>
class TestHeads {
 public:
  TestHeads(const SparseCase& c, std::size_t heads, std::size_t length, std::size_t width,
            double deviation, std::uint32_t seed)
      : width_(width), rows_(c.sizes.batch * heads * length), buffer_(rows_ * (width + 3), 1) {
    const std::size_t row = width + 3;
    view_.data = buffer_.data();
    view_.batch_stride = heads * length * row;
    view_.head_stride = c.heads_inside ? row : length * row;
    view_.row_stride = c.heads_inside ? heads * row : row;
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, deviation);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::generate_n(buffer_.data() + i * row, width,
                      [&] { return static_cast<T>(deviation == 0 ? .5 : normal(random)); });
      std::fill_n(buffer_.data() + i * row + width, 3, T{-77});
    }
  }
  ~TestHeads() {
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(buffer_[i * (width_ + 3) + width_ + j], T{-77});
    }
  }
  const Heads<T>& view() const { return view_; }
  Heads<const T> constant() const {
    return {view_.data, view_.batch_stride, view_.head_stride, view_.row_stride};
  }

 private:
  std::size_t width_, rows_;
  GuardedBuffer<T> buffer_;
  Heads<T> view_;
};

// A call with its tensors, and room for all results.
template <typename T>
struct SparseProblem {
  explicit SparseProblem(const SparseCase& c, std::uint32_t seed = 1)
      : of(c),
        mask(c.mask, c.sizes.keys),
        query(c, c.sizes.heads, c.sizes.queries, c.sizes.width, c.deviation, seed),
        keys(c, c.sizes.key_heads, c.sizes.keys, c.sizes.width, 1, seed + 1),
        values(c, c.sizes.key_heads, c.sizes.keys, c.sizes.value_width, 1, seed + 2),
        context(c, c.sizes.heads, c.sizes.queries, c.sizes.value_width, 1, seed + 3),
        d_context(c, c.sizes.heads, c.sizes.queries, c.sizes.value_width, 1, seed + 4),
        d_query(c, c.sizes.heads, c.sizes.queries, c.sizes.width, 1, seed + 5),
        d_keys(c, c.sizes.key_heads, c.sizes.keys, c.sizes.width, 1, seed + 6),
        d_values(c, c.sizes.key_heads, c.sizes.keys, c.sizes.value_width, 1, seed + 7),
        d_alpha(c.sizes.heads),
        kept_keys(support_entries(c.sizes, c.room)),
        kept_weights(kept_keys.size()),
        offsets(c.sizes.batch * c.sizes.heads * c.sizes.queries),
        counts(offsets.size()) {
    if (c.changed) changes = {&cap, &distance};
  }
  AttentionCall<T> call() const {
    return {.sizes = of.sizes,
            .query = query.constant(),
            .keys = keys.constant(),
            .values = values.constant(),
            .scale = static_cast<T>(1 / std::sqrt(static_cast<double>(of.sizes.width))),
            .changes = changes,
            .mask = of.mask == MaskKind::none ? nullptr : &mask,
            .dropout = {.probability = of.dropped, .seed = 5, .stream = 6}};
  }
  SparseSupport<T> support() {
    if (of.room == 0) return {};
    return {of.room, kept_keys.data(), kept_weights.data(), offsets.data(), counts.data()};
  }
  bool forward() {
    return sparse_attention_forward(call(), of.normaliser(), context.view(), support());
  }
  bool backward() {
    const bool entmax = of.kind == SparseNormaliser::Kind::entmax;
    return sparse_attention_backward(call(), of.normaliser(),
                                     {.d_context = d_context.constant(),
                                      .support = support(),
                                      .d_query = d_query.view(),
                                      .d_keys = d_keys.view(),
                                      .d_values = d_values.view(),
                                      .d_parameters = d_parameters,
                                      .d_alpha = entmax ? d_alpha.data() : nullptr});
  }

  SparseCase of;
  TestMask mask;
  TestHeads<T> query, keys, values, context, d_context, d_query, d_keys, d_values;
  TestCap<T> cap;
  TestDistance<T> distance;
  std::vector<const ScoreChange<T>*> changes;
  T d_parameters[1] = {};
  std::vector<double> d_alpha;
  std::vector<std::int32_t> kept_keys;
  std::vector<T> kept_weights;
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> counts;
};

// One row of a problem from the definitions, in double.
template <typename T>
struct ReferenceRow {
  std::vector<std::int32_t> keys;  // the query may see
  std::vector<double> raw;         // scaled dot products
  std::vector<double> capped;      // after the first change, or the same
  std::vector<double> weights;     // before dropout
  std::vector<double> factors;     // of dropout

  ReferenceRow(const SparseProblem<T>& p, std::size_t b, std::size_t h, std::size_t q) {
    const AttentionSizes& s = p.of.sizes;
    const std::size_t g = h / (s.heads / s.key_heads);
    std::vector<double> scores;
    for (std::size_t k = 0; k < s.keys; ++k) {
      if (!p.mask.sees(q, k)) continue;
      double dot = 0;
      for (std::size_t i = 0; i < s.width; ++i) {
        dot += static_cast<double>(p.query.view().row(b, h, q)[i]) * p.keys.view().row(b, g, k)[i];
      }
      keys.push_back(static_cast<std::int32_t>(k));
      raw.push_back(dot * p.call().scale);
      capped.push_back(p.of.changed ? 2 * std::tanh(raw.back() / 2) : raw.back());
      scores.push_back(capped.back() - (p.of.changed ? .02 * distance(h, q, k) : 0));
      double factor = 1;
      const std::size_t row = row_of(s, b, h, q);
      if (p.of.dropped > 0) dropout(&factor, &factor, 1, {p.of.dropped, 5, 6, row * s.keys + k});
      factors.push_back(factor);
    }
    weights.resize(keys.size());
    if (p.of.kind == SparseNormaliser::Kind::topk_softmax) {
      std::vector<double> best = scores;
      std::vector<std::size_t> order(best.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
      for (std::size_t i = p.of.k; i < order.size(); ++i) best[order[i]] = -INFINITY;
      softmax(best.data(), weights.data(), 1, best.size());
    } else {
      entmax(p.of.normaliser().alpha_of(h), scores.data(), weights.data(), 1, scores.size());
    }
  }
  static std::size_t row_of(const AttentionSizes& s, std::size_t b, std::size_t h, std::size_t q) {
    return (b * s.heads + h) * s.queries + q;
  }
  static double distance(std::size_t h, std::size_t q, std::size_t k) {
    return std::abs(static_cast<double>(q) - static_cast<double>(k)) * static_cast<double>(h + 1);
  }
};

// Calls body(b, h, q) for every row of a problem.
template <typename Body>
void over_rows(const AttentionSizes& s, const Body& body) {
  for (std::size_t b = 0; b < s.batch; ++b) {
    for (std::size_t h = 0; h < s.heads; ++h) {
      for (std::size_t q = 0; q < s.queries; ++q) body(b, h, q);
    }
  }
}

}  // namespace heed::kernels
