// SPDX-License-Identifier: Apache-2.0
// Gather and scatter-add of table rows: plain loops, for memory sets the pace.
#include "heed/kernels/embedding.h"

#include <algorithm>
#include <cassert>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

namespace heed::kernels {
namespace {

[[maybe_unused]] bool is_row(const RowIds& rows, std::int32_t id) {
  return id >= 0 && static_cast<std::size_t>(id) < rows.table_rows;
}

}  // namespace

template <typename T>
void gather_rows(const T* table, const RowIds& rows, T* y) noexcept {
  const std::size_t n = rows.columns;
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(1, n) + 1;
  parallel_for(rows.count, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t id = rows.ids[i];
      if (id == rows.ignored) {
        std::fill_n(y + i * n, n, T{0});
        continue;
      }
      assert(is_row(rows, id));
      std::copy_n(table + static_cast<std::size_t>(id) * n, n, y + i * n);
    }
  });
}

template <typename T>
void scatter_add_rows(const T* dy, const RowIds& rows, T* dtable) noexcept {
  const std::size_t n = rows.columns;
  const std::size_t grain = kElementwiseGrain / std::max<std::size_t>(1, rows.count) + 1;
  // Threads never get less than a cache line of columns each.
  parallel_for(n, std::max<std::size_t>(16, grain), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::int32_t id = rows.ids[i];
      if (id == rows.ignored) continue;
      assert(is_row(rows, id));
      T* const to = dtable + static_cast<std::size_t>(id) * n;
      const T* const from = dy + i * n;
      for (std::size_t column = begin; column < end; ++column) to[column] += from[column];
    }
  });
}

template void gather_rows(const Scalar*, const RowIds&, Scalar*) noexcept;
template void scatter_add_rows(const Scalar*, const RowIds&, Scalar*) noexcept;

}  // namespace heed::kernels
