// SPDX-License-Identifier: Apache-2.0
// A table without what is absent: the scores of the queries and keys that are left as a dense
// matrix in double, -inf where a cell is forbidden.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "heed/attention/normaliser.h"

namespace heed::attention {

class PresentTable {
 public:
  // of_words: the queries are the keys, so that one which is absent as either is absent as both.
  template <typename T>
  explicit PresentTable(const Table<T>& table, bool of_words = false) {
    const auto all_queries = static_cast<std::size_t>(table.queries);
    const auto all_keys = static_cast<std::size_t>(table.keys);
    std::vector<bool> asks(all_queries, false), seen(all_keys, false);
    for (std::size_t q = 0; q < all_queries; ++q) asks[q] = table.rows[q] < table.rows[q + 1];
    for (const std::int32_t key : table.columns) seen[static_cast<std::size_t>(key)] = true;
    if (of_words) {
      for (std::size_t word = 0; word < all_queries; ++word) {
        asks[word] = seen[word] = asks[word] && seen[word];
      }
    }
    std::vector<std::size_t> place(all_keys);
    for (std::size_t key = 0; key < all_keys; ++key) {
      place[key] = keys_.size();
      if (seen[key]) keys_.push_back(key);
    }
    for (std::size_t q = 0; q < all_queries; ++q) {
      if (asks[q]) queries_.push_back(q);
    }
    scores_.assign(queries_.size() * keys_.size(), -std::numeric_limits<double>::infinity());
    cells_.assign(scores_.size(), kForbidden);
    for (std::size_t row = 0; row < queries_.size(); ++row) {
      for (std::size_t i = table.rows[queries_[row]]; i < table.rows[queries_[row] + 1]; ++i) {
        const auto key = static_cast<std::size_t>(table.columns[i]);
        if (!seen[key]) continue;
        const std::size_t cell = row * keys_.size() + place[key];
        scores_[cell] = static_cast<double>(table.scores[i]);
        cells_[cell] = i;
        is_usable_ = is_usable_ && scores_[cell] < std::numeric_limits<double>::infinity();
      }
    }
  }

  std::size_t rows() const { return queries_.size(); }
  std::size_t columns() const { return keys_.size(); }
  std::size_t query(std::size_t row) const { return queries_[row]; }
  std::size_t key(std::size_t column) const { return keys_[column]; }
  const std::vector<double>& scores() const { return scores_; }  // [rows, columns]
  // Neither NaN nor infinity among the scores; -inf forbids a cell.
  bool is_usable() const { return is_usable_; }

  // [N], in the order of the table -> [rows, columns], 0 where a cell is forbidden.
  template <typename T>
  std::vector<double> packed(std::span<const T> values) const {
    std::vector<double> matrix(cells_.size(), 0.0);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i] != kForbidden) matrix[i] = static_cast<double>(values[cells_[i]]);
    }
    return matrix;
  }
  // And back, 0 where the query or the key is absent.
  template <typename T>
  void spread(std::span<const double> matrix, std::span<T> values) const {
    std::fill(values.begin(), values.end(), T{0});
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i] != kForbidden) values[cells_[i]] = static_cast<T>(matrix[i]);
    }
  }
  // chosen [rows], columns -> the key of each query of the table, -1 for absent ones.
  std::vector<std::int32_t> keys_of(std::span<const std::int32_t> chosen,
                                    std::size_t queries) const {
    std::vector<std::int32_t> keys(queries, -1);
    for (std::size_t row = 0; row < chosen.size(); ++row) {
      keys[queries_[row]] = static_cast<std::int32_t>(keys_[static_cast<std::size_t>(chosen[row])]);
    }
    return keys;
  }
  // The column that each row gives all its weight [rows, columns]; empty if one does not.
  std::vector<std::int32_t> choices(std::span<const double> weights) const {
    std::vector<std::int32_t> chosen;
    for (std::size_t cell = 0; cell < weights.size(); ++cell) {
      if (weights[cell] == 0) continue;
      if (weights[cell] != 1 || chosen.size() != cell / columns()) return {};
      chosen.push_back(static_cast<std::int32_t>(cell % columns()));
    }
    return chosen.size() == rows() ? chosen : std::vector<std::int32_t>();
  }

 private:
  static constexpr std::size_t kForbidden = static_cast<std::size_t>(-1);
  std::vector<std::size_t> queries_, keys_, cells_;
  std::vector<double> scores_;
  bool is_usable_ = true;
};

}  // namespace heed::attention
