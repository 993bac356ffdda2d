// SPDX-License-Identifier: Apache-2.0
// Rows of a table by id: gather for an embedding, scatter-add for its gradient.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::kernels {

// Which rows are meant. The caller has checked that every id is `ignored` or in [0, table_rows).
struct RowIds {
  const std::int32_t* ids = nullptr;  // [count]
  std::size_t count = 0;
  std::size_t table_rows = 0;
  std::size_t columns = 0;
  std::int32_t ignored = -1;  // padding: reads as a row of zeros and receives no gradient
};

// table [table_rows, columns] -> y [count, columns], y_i = table[ids_i].
template <typename T>
void gather_rows(const T* table, const RowIds& rows, T* y) noexcept;

// dtable[ids_i] += dy_i in the order of i. dtable is added to, not cleared. Threads own columns, so
// the bits do not depend on their number.
template <typename T>
void scatter_add_rows(const T* dy, const RowIds& rows, T* dtable) noexcept;

}  // namespace heed::kernels
