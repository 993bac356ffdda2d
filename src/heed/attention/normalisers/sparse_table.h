// SPDX-License-Identifier: Apache-2.0
// SparseMAP over tables in which every query has one key: what a tree, a matching or another such
// structure needs besides a function that finds the best one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "heed/attention/normalisers/present_table.h"
#include "heed/attention/normalisers/sparsemap.h"

namespace heed::attention {

// scores [rows, columns], -inf: forbidden -> the column of each row in the structure whose scores
// add up to most, of equals always the same; nullopt: there is none.
using BestTable =
    std::function<std::optional<std::vector<std::int32_t>>(std::span<const double> scores)>;

// Part row * columns + column: the row has that column.
class TableOracle final : public StructureOracle {
 public:
  // table: scores as BestTable takes them; only which are forbidden counts.
  TableOracle(std::span<const double> table, std::size_t columns, BestTable best)
      : table_(table.begin(), table.end()), columns_(columns), best_(std::move(best)) {}

  std::size_t parts() const override { return table_.size(); }
  void best(std::span<const double> scores, PartBits found) const override;

 private:
  std::vector<double> table_;
  std::size_t columns_;
  BestTable best_;
};

// The few structures of one table that share the weight. Rows of scores may be shifted, for each
// has exactly one part: they are taken relative to their highest.
class SparseTable {
 public:
  // There must be a structure.
  SparseTable(const PresentTable& table, BestTable best);
  SparseTable(const SparseTable&) = delete;  // what is solved refers to scores and oracle
  SparseTable& operator=(const SparseTable&) = delete;

  std::span<const double> weights() const { return map_.expectation(); }  // [rows, columns]
  const SparseMap& map() const { return map_; }
  // As keys of the table's queries.
  std::vector<Member> members(const PresentTable& table, std::int64_t queries) const;
  // max <scores, mu> - |mu|^2 / 2
  double maximum() const { return scores_.empty() ? 0 : map_.maximum() + taken_; }
  // From the gradient of the weights to that of the scores, both [rows, columns].
  std::vector<double> backward(std::span<const double> upstream);

 private:
  double taken_ = 0;  // from the rows
  std::vector<double> scores_;
  TableOracle oracle_;
  SparseMap map_;
};

// The two directions of a normaliser of this kind: `solved(table)` gives the SparseTable of a
// PresentTable. Scores that are no numbers make all weights NaN.
template <typename T, typename Solved>
void sparse_table_forward(const PresentTable& table, std::span<T> weights, const Solved& solved) {
  if (!table.is_usable()) {
    std::fill(weights.begin(), weights.end(), std::numeric_limits<T>::quiet_NaN());
    return;
  }
  table.spread<T>(solved(table).weights(), weights);
}
template <typename T, typename Solved>
void sparse_table_backward(const PresentTable& table, std::span<const T> upstream,
                           std::span<T> gradient, const Solved& solved) {
  if (!table.is_usable()) {
    std::fill(gradient.begin(), gradient.end(), std::numeric_limits<T>::quiet_NaN());
    return;
  }
  table.spread<T>(solved(table).backward(table.packed(upstream)), gradient);
}

}  // namespace heed::attention
