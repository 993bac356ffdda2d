// SPDX-License-Identifier: Apache-2.0
// Matrix products: single, batched, and against a weight packed once for many calls.
#pragma once

#include <cstddef>

#include "heed/base/exported.h"

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// What is applied to each element of C last; the names are those of the element-wise kernels.
enum class Activation { none, relu, gelu, gelu_tanh, tanh, sigmoid, swish };

// C [m,n] = activation(alpha op(A) op(B) + beta C + bias), all row-major; op(A) is [m,k], op(B) is
// [k,n]. A transposed operand is stored the other way round: A as [k,m], B as [n,k].
template <typename T>
struct GemmOptions {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  std::size_t lda = 0;  // elements from one stored row to the next; 0: rows are dense
  std::size_t ldb = 0;
  std::size_t ldc = 0;
  T alpha = 1;
  T beta = 0;               // 0: C is written without being read, so it may be uninitialised
  const T* bias = nullptr;  // [n], added to every row
  Activation activation = Activation::none;
};

// With k = 0 the product is zero: C = activation(beta C + bias). C must not overlap A, B or bias.
// Uses heed::threads() threads when the product is large enough to pay for them, one inside a
// parallel region. The same call with the same number of threads gives the same bits.
template <typename T>
HEED_EXPORTED void gemm(const T* a, const T* b, T* c, const GemmOptions<T>& options) noexcept;

// `count` products of one shape; matrix i starts i strides after the first. A stride of 0 shares
// an operand between all of them (not C's).
struct BatchStrides {
  std::size_t count = 0;
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};

template <typename T>
void batched_gemm(const T* a, const T* b, T* c, const GemmOptions<T>& each,
                  const BatchStrides& batch) noexcept;

// A weight B [k,n] re-laid once into panels that the inner loop reads from end to end. The layout
// belongs to the CPU target in use when it was packed.

// Elements that packed_b of a [k,n] matrix needs; align it to 64 bytes for speed.
template <typename T>
HEED_EXPORTED std::size_t packed_size(std::size_t k, std::size_t n) noexcept;

// Packs op(B) [k,n] into packed_b. ldb 0: rows are dense.
struct PackOptions {
  std::size_t k = 0;
  std::size_t n = 0;
  bool transpose_b = false;  // B is stored as [n,k]
  std::size_t ldb = 0;
};

template <typename T>
HEED_EXPORTED void pack(const T* b, const PackOptions& options, T* packed_b) noexcept;

// gemm with B packed before; options.transpose_b and options.ldb are not read. The fastest way for
// few rows (one step of decoding against a constant weight), and as fast as gemm for many.
template <typename T>
HEED_EXPORTED void gemm_packed(const T* a, const T* packed_b, T* c,
                               const GemmOptions<T>& options) noexcept;

}  // namespace heed::kernels

#pragma GCC visibility pop
