// SPDX-License-Identifier: Apache-2.0
// Partial selection: the largest value of each block tells which blocks to look into.
#include "heed/decoding/top_tokens.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "heed/kernels/reductions.h"

namespace heed::decoding {
namespace {

constexpr std::size_t kBlock = 64;

}  // namespace

std::vector<ScoredToken> top_tokens(std::span<const Real> row, std::size_t count) {
  std::vector<ScoredToken> found;
  const std::size_t whole = row.size() / kBlock;
  const std::size_t blocks = (row.size() + kBlock - 1) / kBlock;
  std::vector<Real> largest(blocks);
  kernels::maximum_rows(row.data(), whole, kBlock, largest.data(), nullptr);
  if (whole < blocks) {
    largest[whole] = kernels::maximum(row.data() + whole * kBlock, row.size() - whole * kBlock);
  }
  if (std::ranges::any_of(largest, [](Real x) { return std::isnan(x); })) {
    const std::size_t token = kernels::argmax(row.data(), row.size());
    return {{static_cast<text::Token>(token), row[token]}};
  }

  // `count` blocks hold a value of at least the count-th largest of their maxima, so nothing below
  // it can be among the `count` best.
  Real threshold = -std::numeric_limits<Real>::infinity();
  if (count > 0 && count <= blocks) {
    std::vector<Real> order = largest;
    const auto nth = order.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::ranges::nth_element(order, nth, std::greater{});
    threshold = *nth;
  }
  for (std::size_t block = 0; block < blocks; ++block) {
    if (largest[block] < threshold) continue;
    const std::size_t end = std::min(row.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      if (row[i] >= threshold && row[i] > -std::numeric_limits<Real>::infinity()) {
        found.push_back({static_cast<text::Token>(i), row[i]});
      }
    }
  }
  const std::size_t kept = std::min(count, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const ScoredToken& a, const ScoredToken& b) {
                              return a.value > b.value || (a.value == b.value && a.token < b.token);
                            });
  found.resize(kept);
  return found;
}

}  // namespace heed::decoding
