// SPDX-License-Identifier: Apache-2.0
// Codes of weights: exact zeros and masks survive, the rest is rounded to the scale of its head.
#include "heed/insight/trace/head_codes.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::insight {
namespace {

constexpr std::int64_t kThumbnail = 16;  // cells a side, at most

// The code of a weight that is not masked; `most` is the code of the scale.
std::uint32_t code_of(double weight, double scale, std::uint32_t most) {
  if (weight <= 0) return 0;
  const auto code = static_cast<std::uint32_t>(std::lround(weight / scale * most));
  return std::clamp<std::uint32_t>(code, 1, most);
}

void add_code(std::uint32_t code, int bits, std::string& bytes) {
  bytes += static_cast<char>(code & 255U);
  if (bits == 16) bytes += static_cast<char>(code >> 8);
}

// Entropy in bits of weights scaled to a sum of 1, and whether there is any.
struct RowEntropy {
  double bits = 0;
  bool any = false;
};

RowEntropy row_entropy(const Real* row, std::int64_t keys) {
  double sum = 0;
  double plogp = 0;
  for (std::int64_t k = 0; k < keys; ++k) {
    if (!(row[k] > 0)) continue;
    sum += row[k];
    plogp += row[k] * std::log2(static_cast<double>(row[k]));
  }
  if (sum == 0) return {};
  // -sum p/s log(p/s) = log s - (sum p log p) / s
  return {std::max(0.0, std::log2(sum) - plogp / sum), true};
}

// The largest weight of each block; NaN where all cells of the block are masked. Max, not mean: a
// single spike among thousands of cells must be seen.
std::vector<Real> pooled(const Tensor& weights, std::int64_t rows, std::int64_t columns) {
  const std::int64_t queries = weights.size(0);
  const std::int64_t keys = weights.size(1);
  std::vector<Real> blocks(static_cast<std::size_t>(rows * columns), std::nan(""));
  const Real* cell = weights.data();
  for (std::int64_t q = 0; q < queries; ++q) {
    for (std::int64_t k = 0; k < keys; ++k, ++cell) {
      Real& block =
          blocks[static_cast<std::size_t>(q * rows / queries * columns + k * columns / keys)];
      if (std::isnan(block) || *cell > block) block = *cell;
    }
  }
  return blocks;
}

}  // namespace

HeadCodes head_codes(const Tensor& weights, int bits) {
  const Tensor packed = weights.packed();
  const std::int64_t queries = packed.size(0);
  const std::int64_t keys = packed.size(1);
  HeadCodes codes;
  std::int64_t allowed = 0;
  std::int64_t positive = 0;
  for (const Real weight : packed.span()) {
    if (std::isnan(weight)) continue;
    ++allowed;
    positive += weight > 0;
    codes.scale = std::max(codes.scale, static_cast<double>(weight));
  }
  if (allowed > 0) codes.density = static_cast<double>(positive) / static_cast<double>(allowed);

  const std::uint32_t masked = (1U << static_cast<unsigned>(bits)) - 1;
  codes.bytes.reserve(static_cast<std::size_t>(packed.size()) * (bits == 16 ? 2 : 1));
  for (const Real weight : packed.span()) {
    add_code(std::isnan(weight) ? masked : code_of(weight, codes.scale, masked - 1), bits,
             codes.bytes);
  }

  std::int64_t rows_with_any = 0;
  for (std::int64_t q = 0; q < queries; ++q) {
    const RowEntropy row = row_entropy(packed.data() + q * keys, keys);
    codes.entropy += row.bits;
    rows_with_any += row.any;
  }
  if (rows_with_any > 0) codes.entropy /= static_cast<double>(rows_with_any);

  codes.rows = static_cast<int>(std::min(queries, kThumbnail));
  codes.columns = static_cast<int>(std::min(keys, kThumbnail));
  for (const Real weight : pooled(packed, codes.rows, codes.columns)) {
    add_code(std::isnan(weight) ? 255 : code_of(weight, codes.scale, 254), 8, codes.thumbnail);
  }
  return codes;
}

}  // namespace heed::insight
