// SPDX-License-Identifier: Apache-2.0
// The arithmetic of one chunk of attention by features: products of matrices that lie in cache,
// read where they are instead of packed, and what goes row by row between them.
#pragma once

#include <cstddef>

namespace heed::kernels {

// c [m,n] = a [m,k] b [k,n] + bias, added to c where asked, all row-major.
template <typename T>
struct CachedProduct {
  std::size_t m = 0, n = 0, k = 0;
  std::size_t lda = 0, ldb = 0, ldc = 0;
  bool add = false;
  const T* bias = nullptr;  // [n]
  // [m], neither ever less than before: row i of a holds numbers in [begin[i], end[i]) and zeros
  // elsewhere. Null: from 0, to k.
  const std::size_t* begin = nullptr;
  const std::size_t* end = nullptr;
};
template <typename T>
void cached_product(const T* a, const T* b, T* c, const CachedProduct<T>& options) noexcept;

// to [columns, to_stride] = the transposed of from [rows, columns]; columns from `rows` to `padded`
// become 0.
template <typename T>
void transpose_into(const T* from, std::size_t rows, std::size_t columns, T* to,
                    std::size_t to_stride, std::size_t padded) noexcept;

// totals[i] = query_i · total + Σ products_i over the first reach[i]; products may be null.
template <typename T>
void feature_totals(const T* query, const T* total, std::size_t features, const T* products,
                    std::size_t stride, const std::size_t* reach, std::size_t rows,
                    T* totals) noexcept;

// y_i / total_i, or 0 where that is 0; y and out may be one.
template <typename T>
void divided_rows(const T* y, const T* totals, std::size_t rows, std::size_t columns,
                  T* out) noexcept;

// dy_i = dc_i / total_i and dtotal_i = -<dc_i, c_i> / total_i, 0 where the total is; dy and
// d_context may be one.
template <typename T>
void feature_slopes(const T* d_context, const T* context, const T* totals, std::size_t rows,
                    std::size_t columns, T* dy, T* dtotal) noexcept;

// x_i += factor_i add, rows of `width`.
template <typename T>
void add_outer(const T* factors, const T* add, std::size_t rows, std::size_t width, T* x) noexcept;

// sums += Σ_i factor_i x_i, rows of `width`.
template <typename T>
void add_weighted_rows(const T* factors, const T* x, std::size_t rows, std::size_t width,
                       T* sums) noexcept;

// x_i + factor_i over the first reach[i] of a row, 0 in the rest up to `width`.
template <typename T>
void shift_and_hide(const T* factors, const std::size_t* reach, std::size_t rows, std::size_t width,
                    std::size_t stride, T* x) noexcept;

}  // namespace heed::kernels
