// SPDX-License-Identifier: Apache-2.0
// For the tests of dense attention: random masks, changes and calls, and the same computed by plain
// loops in double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernels/attention/attention.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {

// Any set of keys per row; tiles that happen to be empty or full say so half of the time.
class TableMask final : public KeyMask {
 public:
  TableMask(const AttentionSizes& sizes, Random& random) : sizes_(sizes) {
    bits_.resize(sizes.batch * sizes.heads * sizes.queries * sizes.keys);
    const std::uint64_t kind = random.integer(4);
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      const std::size_t key = i % sizes.keys, row = i / sizes.keys;
      const std::size_t query = row % sizes.queries;
      bits_[i] = kind == 0   ? random.integer(3) != 0
                 : kind == 1 ? key <= query
                 : kind == 2 ? key + 9 >= query && key <= query + 9
                             : key / 16 % 3 != query / 16 % 3;
    }
  }
  bool at(std::size_t b, std::size_t h, std::size_t q, std::size_t k) const {
    return bits_[((b * sizes_.heads + h) * sizes_.queries + q) * sizes_.keys + k];
  }
  TileCover classify(const TileRange& tile) const noexcept override {
    std::size_t seen = 0;
    for (std::size_t q = tile.query_begin; q < tile.query_end; ++q) {
      for (std::size_t k = tile.key_begin; k < tile.key_end; ++k) {
        seen += at(tile.batch, tile.head, q, k) ? 1 : 0;
      }
    }
    if ((tile.key_begin / kMaskKeys + tile.query_begin) % 2 == 0) return TileCover::mixed;
    const std::size_t all = (tile.query_end - tile.query_begin) * (tile.key_end - tile.key_begin);
    return seen == 0 ? TileCover::empty : seen == all ? TileCover::full : TileCover::mixed;
  }
  void allowed(std::size_t batch, std::size_t head, std::size_t query,
               std::span<const std::size_t> tiles, std::uint64_t* words) const noexcept override {
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      words[i] = 0;
      for (std::size_t c = 0; c < kMaskKeys && tiles[i] + c < sizes_.keys; ++c) {
        if (at(batch, head, query, tiles[i] + c)) words[i] |= std::uint64_t{1} << c;
      }
    }
  }

 private:
  AttentionSizes sizes_;
  std::vector<bool> bits_;
};

// s -> a s + s³/20 + parameter[head] (query - key)/50, with the derivative of everything.
template <typename T>
class AnyChange final : public ScoreChange<T> {
 public:
  explicit AnyChange(std::vector<T> parameters) : parameters_(std::move(parameters)) {}
  static double distance(std::size_t query, std::size_t key) {
    return (static_cast<double>(query) - static_cast<double>(key)) / 50;
  }
  void change(const ScoreTile<T>& scores) const noexcept override {
    for (std::size_t r = 0; r < scores.rows; ++r) {
      for (std::size_t c = 0; c < scores.columns; ++c) {
        T& s = scores.row(r)[c];
        s = T(0.5) * s + s * s * s / 20 +
            parameters_[scores.head] * static_cast<T>(distance(scores.query + r, scores.key + c));
      }
    }
  }
  void derivative(const ScoreTile<const T>& before, T* gradient,
                  T* parameters) const noexcept override {
    for (std::size_t r = 0; r < before.rows; ++r) {
      for (std::size_t c = 0; c < before.columns; ++c) {
        const T s = before.row(r)[c];
        T& g = gradient[r * before.stride + c];
        parameters[before.head] += g * static_cast<T>(distance(before.query + r, before.key + c));
        g *= T(0.5) + 3 * s * s / 20;
      }
    }
  }
  std::size_t parameter_count() const noexcept override { return parameters_.size(); }
  T parameter(std::size_t head) const { return parameters_[head]; }

 private:
  std::vector<T> parameters_;
};

// An operand in a watched buffer, with gaps between its rows or without, heads outside or inside.
template <typename T>
struct AnyHeads {
  AnyHeads(std::size_t batch, std::size_t heads, std::size_t length, std::size_t width,
           Random& random)
      : gap(random.integer(3)),
        inside(random.integer(2) == 0),
        buffer(batch * heads * length * (width + gap) + 1, random.integer(3)) {
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = random.normal<T>();
    const std::size_t row = width + gap;
    view = inside ? Heads<T>{buffer.data(), length * heads * row, row, heads * row}
                  : Heads<T>{buffer.data(), heads * length * row, length * row, row};
  }
  Heads<const T> constant() const {
    return {view.data, view.batch_stride, view.head_stride, view.row_stride};
  }
  std::size_t gap;
  bool inside;
  GuardedBuffer<T> buffer;
  Heads<T> view;
};

template <typename T>
class AttentionCheck {
 public:
  AttentionCheck(const AttentionSizes& sizes, Random& random)
      : sizes_(sizes),
        query_(sizes.batch, sizes.heads, sizes.queries, sizes.width, random),
        keys_(sizes.batch, sizes.key_heads, sizes.keys, sizes.width, random),
        values_(sizes.batch, sizes.key_heads, sizes.keys, sizes.value_width, random),
        context_(sizes.batch, sizes.heads, sizes.queries, sizes.value_width, random),
        d_context_(sizes.batch, sizes.heads, sizes.queries, sizes.value_width, random),
        d_query_(sizes.batch, sizes.heads, sizes.queries, sizes.width, random),
        d_keys_(sizes.batch, sizes.key_heads, sizes.keys, sizes.width, random),
        d_values_(sizes.batch, sizes.key_heads, sizes.keys, sizes.value_width, random),
        log_sum_exp_(sizes.batch * sizes.heads * sizes.queries),
        d_parameters_(sizes.heads) {
    if (random.integer(3) != 0 && sizes.keys > 0) {
      mask_ = std::make_unique<TableMask>(sizes, random);
    }
    if (random.integer(3) == 0) {
      std::vector<T> parameters;
      for (std::size_t h = 0; h < sizes.heads; ++h) parameters.push_back(random.normal<T>());
      change_ = std::make_unique<AnyChange<T>>(parameters);
    }
    if (random.integer(4) == 0) dropout_ = {.probability = 0.3, .seed = 5, .stream = 7};
  }

  void check() {
    const ScoreChange<T>* const changes[] = {change_.get()};
    const AttentionCall<T> call{
        .sizes = sizes_,
        .query = query_.constant(),
        .keys = keys_.constant(),
        .values = values_.constant(),
        .scale = scale_,
        .changes = std::span<const ScoreChange<T>* const>(changes, change_ ? 1 : 0),
        .mask = mask_.get(),
        .dropout = dropout_};
    ASSERT_TRUE(attention_forward(call, context_.view, log_sum_exp_.data()));
    ASSERT_TRUE(attention_backward<T>(call, {.context = context_.constant(),
                                             .d_context = d_context_.constant(),
                                             .log_sum_exp = log_sum_exp_.data(),
                                             .d_query = d_query_.view,
                                             .d_keys = d_keys_.view,
                                             .d_values = d_values_.view,
                                             .d_parameters = d_parameters_.data()}));
    expect_reference();
  }

 private:
  static constexpr double kForward = sizeof(T) == 4 ? 2e-6 : 1e-13;
  static constexpr double kBackward = sizeof(T) == 4 ? 2e-5 : 1e-12;

  // Errors are measured in the largest entry.
  static void expect_close(const char* what, const std::vector<double>& expected,
                           const Heads<T>& found, std::size_t batch, std::size_t heads,
                           std::size_t length, std::size_t width, double tolerance) {
    double largest = 1;
    for (const double x : expected) largest = std::max(largest, std::abs(x));
    std::size_t i = 0;
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t h = 0; h < heads; ++h) {
        for (std::size_t s = 0; s < length; ++s) {
          for (std::size_t c = 0; c < width; ++c, ++i) {
            ASSERT_NEAR(found.row(b, h, s)[c], expected[i], tolerance * largest)
                << what << " b " << b << " h " << h << " row " << s << " column " << c;
          }
        }
      }
    }
  }

  void expect_reference() {
    const AttentionSizes& n = sizes_;
    const std::size_t group = n.heads / n.key_heads;
    std::vector<double> context(n.batch * n.heads * n.queries * n.value_width);
    std::vector<double> d_query(n.batch * n.heads * n.queries * n.width);
    std::vector<double> d_keys(n.batch * n.key_heads * n.keys * n.width);
    std::vector<double> d_values(n.batch * n.key_heads * n.keys * n.value_width);
    std::vector<double> d_parameters(n.heads);
    std::vector<double> score(n.keys), changed(n.keys), weight(n.keys), d_weight(n.keys);
    std::vector<double> keep(n.keys, 1), ones(n.keys, 1);
    std::size_t row = 0;
    for (std::size_t b = 0; b < n.batch; ++b) {
      for (std::size_t h = 0; h < n.heads; ++h) {
        const std::size_t g = h / group;
        for (std::size_t q = 0; q < n.queries; ++q, ++row) {
          const auto seen = [&](std::size_t k) { return !mask_ || mask_->at(b, h, q, k); };
          if (dropout_.probability > 0) {
            dropout(ones.data(), keep.data(), n.keys,
                    {.probability = dropout_.probability,
                     .seed = dropout_.seed,
                     .stream = dropout_.stream,
                     .first = row * n.keys});
          }
          double most = -std::numeric_limits<double>::infinity(), sum = 0, delta = 0;
          for (std::size_t k = 0; k < n.keys; ++k) {
            double s = 0;
            for (std::size_t c = 0; c < n.width; ++c) {
              s += static_cast<double>(query_.view.row(b, h, q)[c]) * keys_.view.row(b, g, k)[c];
            }
            score[k] = s * scale_;
            changed[k] = score[k];
            if (change_) {
              changed[k] = 0.5 * score[k] + std::pow(score[k], 3) / 20 +
                           change_->parameter(h) * AnyChange<T>::distance(q, k);
            }
            if (seen(k)) most = std::max(most, changed[k]);
          }
          for (std::size_t k = 0; k < n.keys; ++k) {
            weight[k] = seen(k) ? std::exp(changed[k] - most) : 0;
            sum += weight[k];
          }
          const double log_sum = most + std::log(sum);
          if (sum == 0) {
            ASSERT_EQ(log_sum_exp_[row], -std::numeric_limits<T>::infinity());
          } else {
            ASSERT_NEAR(log_sum_exp_[row], log_sum,
                        kForward * std::max(1.0, std::abs(log_sum)) * 4);
          }
          for (std::size_t k = 0; k < n.keys; ++k) {
            weight[k] = sum == 0 ? 0 : weight[k] / sum;
            double d = 0;
            for (std::size_t c = 0; c < n.value_width; ++c) {
              const double up = d_context_.view.row(b, h, q)[c];
              context[row * n.value_width + c] +=
                  weight[k] * keep[k] * values_.view.row(b, g, k)[c];
              d += up * values_.view.row(b, g, k)[c];
              d_values[((b * n.key_heads + g) * n.keys + k) * n.value_width + c] +=
                  weight[k] * keep[k] * up;
            }
            d_weight[k] = d * keep[k];
            delta += weight[k] * d_weight[k];
          }
          for (std::size_t k = 0; k < n.keys; ++k) {
            double d = weight[k] * (d_weight[k] - delta);
            if (change_) {
              d_parameters[h] += d * AnyChange<T>::distance(q, k);
              d *= 0.5 + 3 * score[k] * score[k] / 20;
            }
            for (std::size_t c = 0; c < n.width; ++c) {
              d_query[row * n.width + c] += scale_ * d * keys_.view.row(b, g, k)[c];
              d_keys[((b * n.key_heads + g) * n.keys + k) * n.width + c] +=
                  scale_ * d * query_.view.row(b, h, q)[c];
            }
          }
        }
      }
    }
    expect_close("context", context, context_.view, n.batch, n.heads, n.queries, n.value_width,
                 kForward);
    expect_close("d_query", d_query, d_query_.view, n.batch, n.heads, n.queries, n.width,
                 kBackward);
    expect_close("d_keys", d_keys, d_keys_.view, n.batch, n.key_heads, n.keys, n.width, kBackward);
    expect_close("d_values", d_values, d_values_.view, n.batch, n.key_heads, n.keys, n.value_width,
                 kBackward);
    if (change_) {
      for (std::size_t h = 0; h < n.heads; ++h) {
        ASSERT_NEAR(d_parameters_[h], d_parameters[h],
                    kBackward * std::max(10.0, std::abs(d_parameters[h])));
      }
    }
  }

  AttentionSizes sizes_;
  T scale_ = static_cast<T>(1 / std::sqrt(static_cast<double>(sizes_.width)));
  AnyHeads<T> query_, keys_, values_, context_, d_context_, d_query_, d_keys_, d_values_;
  std::vector<T> log_sum_exp_, d_parameters_;
  std::unique_ptr<TableMask> mask_;
  std::unique_ptr<AnyChange<T>> change_;
  WeightDropout dropout_;
};

}  // namespace heed::kernels
