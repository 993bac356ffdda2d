// SPDX-License-Identifier: Apache-2.0
// What all kinds of watched data share: batches, and sums over the rows of one.
#include "heed/pipeline/watched.h"

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"

namespace heed::pipeline {

std::vector<std::vector<std::size_t>> Watched::batches(std::size_t tokens) const {
  std::vector<std::size_t> all(size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return batches(all, tokens);
}

std::vector<std::vector<std::size_t>> Watched::batches(std::span<const std::size_t> examples,
                                                       std::size_t tokens) const {
  std::vector<std::pair<std::size_t, std::size_t>> lengths;  // and the example
  for (const std::size_t example : examples) {
    std::size_t longest = 1;
    for (const insight::TokenStrip& strip : strips(example)) {
      longest = std::max(longest, strip.tokens.size());
    }
    lengths.emplace_back(longest, example);
  }
  std::ranges::stable_sort(lengths, std::greater<>(), &decltype(lengths)::value_type::first);
  std::vector<std::vector<std::size_t>> batches;
  std::size_t width = 0;  // of the batch, that of its first
  for (const auto& [length, example] : lengths) {
    if (batches.empty() || (batches.back().size() + 1) * width > tokens) {
      batches.emplace_back();
      width = length;
    }
    batches.back().push_back(example);
  }
  return batches;
}

Variable summed_rows(const Variable& losses, std::span<const std::int64_t> counts) {
  std::vector<Variable> rows;
  std::int64_t first = 0;
  for (const std::int64_t count : counts) {
    rows.push_back(count == 0 ? Variable(Tensor::zeros({}))
                              : sum(slice(losses, 0, first, first + count)));
    first += count;
  }
  if (first != losses.size(0)) {
    throw InternalError("watched: {} losses for {} places", losses.size(0), first);
  }
  return stack(rows, 0);
}

std::vector<double> right_rows(const Tensor& logits, const Ids& wanted,
                               std::span<const std::int64_t> counts) {
  const Tensor rows = logits.packed();
  const std::int64_t classes = rows.size(1);
  std::vector<double> right;
  std::int64_t place = 0;
  for (const std::int64_t count : counts) {
    double hits = 0;
    for (const std::int64_t end = place + count; place < end; ++place) {
      const Real* row = rows.data() + place * classes;
      hits += std::max_element(row, row + classes) - row == wanted.at({place}) ? 1 : 0;
    }
    right.push_back(hits);
  }
  return right;
}

}  // namespace heed::pipeline
