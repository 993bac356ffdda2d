// SPDX-License-Identifier: Apache-2.0
// For tests of matrix normalisers: tables of allowed cells, written and read as matrices [Q,K].
#pragma once

#include <vector>

#include "heed/attention/testing.h"

namespace heed::attention {

template <typename T>
struct TableData {
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::vector<T> scores;           // [Q,K]
  std::vector<bool> allowed = {};  // [Q,K]; empty: every cell
  std::vector<T> parameters = {};

  bool allows(std::size_t cell) const { return allowed.empty() || allowed[cell]; }
};

// The table's allowed cells as a normaliser gets them.
template <typename T>
struct PackedTable {
  explicit PackedTable(const TableData<T>& data) : data(data), rows{0} {
    for (std::size_t cell = 0; cell < data.scores.size(); ++cell) {
      if (data.allows(cell)) {
        cells.push_back(cell);
        columns.push_back(static_cast<std::int32_t>(cell % static_cast<std::size_t>(data.keys)));
      }
      if ((cell + 1) % static_cast<std::size_t>(data.keys) == 0) rows.push_back(cells.size());
    }
    scores = pack(data.scores);
  }
  std::vector<T> pack(const std::vector<T>& matrix) const {
    std::vector<T> packed;
    for (const std::size_t cell : cells) packed.push_back(matrix[cell]);
    return packed;
  }
  std::vector<T> spread(const std::vector<T>& packed) const {
    std::vector<T> matrix(data.scores.size(), T{0});
    for (std::size_t i = 0; i < cells.size(); ++i) matrix[cells[i]] = packed[i];
    return matrix;
  }
  Table<T> table() const {
    return {.queries = data.queries,
            .keys = data.keys,
            .scores = scores,
            .columns = columns,
            .rows = rows,
            .parameters = data.parameters};
  }

  const TableData<T>& data;
  std::vector<std::size_t> cells, rows;
  std::vector<std::int32_t> columns;
  std::vector<T> scores;
};

inline const MatrixNormaliser& matrix_part(const Normaliser& part) {
  return dynamic_cast<const MatrixNormaliser&>(part);
}

// weights [Q,K], zeros where nothing is allowed
template <typename T>
std::vector<T> matrix_weights(const Normaliser& part, const TableData<T>& data) {
  const PackedTable<T> packed(data);
  std::vector<T> weights(packed.cells.size(), T(NAN));
  matrix_part(part).forward(packed.table(), weights);
  return packed.spread(weights);
}

// The gradient of <weights, upstream> [Q,K]
template <typename T>
std::vector<T> matrix_gradient(const Normaliser& part, const TableData<T>& data,
                               const std::vector<T>& upstream) {
  const PackedTable<T> packed(data);
  std::vector<T> weights(packed.cells.size(), T(NAN)), gradient(packed.cells.size(), T(NAN));
  matrix_part(part).forward(packed.table(), weights);
  matrix_part(part).backward(packed.table(), weights, packed.pack(upstream), {.scores = gradient});
  return packed.spread(gradient);
}

}  // namespace heed::attention
