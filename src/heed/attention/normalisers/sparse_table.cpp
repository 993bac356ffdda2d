// SPDX-License-Identifier: Apache-2.0
// Tables as the solver takes them: finite scores, and forbidden cells that no structure has.
#include "heed/attention/normalisers/sparse_table.h"

#include <algorithm>
#include <cmath>

namespace heed::attention {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kFarthestBelow = -1e300;  // sums of scores stay numbers

// Rows relative to their highest score, forbidden cells 0; `taken` gets what was taken off.
std::vector<double> relative_rows(const PresentTable& table, double& taken) {
  std::vector<double> scores = table.scores();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto mine = std::span(scores).subspan(row * table.columns(), table.columns());
    const double top = *std::ranges::max_element(mine);
    if (top > kNever) taken += top;
    for (double& score : mine) score = score == kNever ? 0 : std::max(score - top, kFarthestBelow);
  }
  return scores;
}

}  // namespace

void TableOracle::best(std::span<const double> scores, PartBits found) const {
  std::vector<double> allowed(scores.begin(), scores.end());
  for (std::size_t cell = 0; cell < allowed.size(); ++cell) {
    if (table_[cell] == kNever) allowed[cell] = kNever;
  }
  const auto columns = best_(allowed);
  if (!columns) return;
  for (std::size_t row = 0; row < columns->size(); ++row) {
    add_part(found, row * columns_ + static_cast<std::size_t>((*columns)[row]));
  }
}

SparseTable::SparseTable(const PresentTable& table, BestTable best)
    : scores_(relative_rows(table, taken_)),
      oracle_(table.scores(), table.columns(), std::move(best)) {
  if (!scores_.empty()) map_.solve(oracle_, scores_);
}

std::vector<Member> SparseTable::members(const PresentTable& table, std::int64_t queries) const {
  if (scores_.empty()) return {};
  return members_of(map_, [&](PartBitsView bits) {
    std::vector<std::int32_t> chosen(table.rows());
    for (std::size_t cell = 0; cell < scores_.size(); ++cell) {
      if (!has_part(bits, cell)) continue;
      chosen[cell / table.columns()] = static_cast<std::int32_t>(cell % table.columns());
    }
    return table.keys_of(chosen, static_cast<std::size_t>(queries));
  });
}

std::vector<double> SparseTable::backward(std::span<const double> upstream) {
  std::vector<double> gradient(scores_.size());
  if (!scores_.empty()) map_.backward(upstream, gradient);
  return gradient;
}

}  // namespace heed::attention
