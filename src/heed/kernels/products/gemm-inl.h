// SPDX-License-Identifier: Apache-2.0
// The register tile of all matrix products, and the packing that feeds it; included once per CPU
// target (see highway.h) by gemm.cpp and rnn.cpp.
#if defined(HEED_KERNELS_GEMM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_INL_H_
#undef HEED_KERNELS_GEMM_INL_H_
#else
#define HEED_KERNELS_GEMM_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <cstddef>
#include <cstring>

#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"
#include "heed/kernels/products/gemm.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The tile is an outer product: kRows elements of A, each broadcast, times kVectors vectors of B.
// 6x4 fills the 32 registers of AVX-512 (.96 of the FMA loop; 8x3 and 14x2 gave less), 6x2 the 16
// of everything older.
constexpr std::size_t kRows = 6;
constexpr std::size_t kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

template <typename T>
constexpr std::size_t LaneCount() {
  return hn::MaxLanes(hn::ScalableTag<T>());
}
// Columns of a tile, and so the width of a panel of packed B.
template <typename T>
constexpr std::size_t kColumns = kVectors* LaneCount<T>();

// Depth of one block: a panel of this depth takes 16 KiB of L1 (32 with AVX-512, whose machines
// have 48), a strip of A 6 KiB.
constexpr std::size_t kDepth = kVectors == 4 ? 128 : 256;

constexpr std::size_t RoundUp(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// How the elements of A reach the tile: rows of a matrix at any stride, or a strip copied together,
// either row by row (kDepth apart) or column by column (kRows apart). A stride known to the
// compiler keeps all addresses in one register.
enum class Order { rows, packed_rows, packed_columns };

// Where a tile goes: c = activation(alpha product + beta c + bias), the first `columns` of it.
template <typename T>
struct TileOutput {
  T* c;
  std::size_t ldc;
  std::size_t columns;
  T alpha;
  T beta;
  const T* bias;
  Activation activation;
};

template <typename T>
HWY_NOINLINE void Activate(Activation activation, T* HWY_RESTRICT x, std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto map = [&](auto f) HWY_ATTR {
    for (std::size_t i = 0; i < n; i += LaneCount<T>())
      hn::StoreU(f(hn::LoadU(d, x + i)), d, x + i);
  };
  using V = hn::Vec<decltype(d)>;
  switch (activation) {
    case Activation::none:
      break;
    case Activation::relu:
      map([&](V v) HWY_ATTR { return hn::Max(v, hn::Zero(d)); });
      break;
    case Activation::gelu:
      map([&](V v) HWY_ATTR { return Gelu(d, v); });
      break;
    case Activation::gelu_tanh:
      map([&](V v) HWY_ATTR { return GeluTanh(d, v); });
      break;
    case Activation::tanh:
      map([&](V v) HWY_ATTR { return Tanh(d, v); });
      break;
    case Activation::sigmoid:
      map([&](V v) HWY_ATTR { return Sigmoid(d, v); });
      break;
    case Activation::swish:
      map([&](V v) HWY_ATTR { return Swish(d, v); });
      break;
  }
}

// Tiles at the right edge, and those with an activation, pass through a row buffer of full width.
template <typename T, std::size_t kR>
HWY_NOINLINE void StoreThroughBuffer(T* HWY_RESTRICT products, const TileOutput<T>& out) {
  constexpr std::size_t kN = kColumns<T>;
  for (std::size_t r = 0; r < kR; ++r) {
    T* HWY_RESTRICT product = products + r * kN;
    T* HWY_RESTRICT c = out.c + r * out.ldc;
    if (out.beta != 0) {
      for (std::size_t j = 0; j < out.columns; ++j) product[j] += out.beta * c[j];
    }
    if (out.bias != nullptr) {
      for (std::size_t j = 0; j < out.columns; ++j) product[j] += out.bias[j];
    }
  }
  if (out.activation != Activation::none) Activate(out.activation, products, kR * kN);
  for (std::size_t r = 0; r < kR; ++r) {
    std::memcpy(out.c + r * out.ldc, products + r * kN, out.columns * sizeof(T));
  }
}

// C tile [kR, kColumns] from a strip of A and a panel of B. The rows of B lie kStrideB apart, or
// b_stride if that is 0.
template <typename T, std::size_t kR, Order kOrder, std::size_t kStrideB>
HWY_NOINLINE void TileProduct(std::size_t k, const T* HWY_RESTRICT a, std::size_t a_stride,
                              const T* HWY_RESTRICT b, std::size_t b_stride,
                              const TileOutput<T>& out) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kN = kColumns<T>;
  constexpr std::size_t kL = LaneCount<T>();
  // Two FMA units of latency 4 need 8 sums in flight; few rows split theirs over several sets.
  constexpr std::size_t kTileSums = kR * kVectors;
  constexpr std::size_t kSets = kTileSums >= 8 ? 1 : kTileSums >= 4 ? 2 : 4;
  V sums[kSets][kR][kVectors];
  for (std::size_t s = 0; s < kSets; ++s) {
    for (std::size_t r = 0; r < kR; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) sums[s][r][v] = hn::Zero(d);
    }
  }
  // C comes from memory while the sums are computed.
  for (std::size_t r = 0; r < kR; ++r) {
    hwy::Prefetch(out.c + r * out.ldc);
    hwy::Prefetch(out.c + r * out.ldc + out.columns - 1);
  }
  const T* HWY_RESTRICT rows[kR];
  for (std::size_t r = 0; r < kR; ++r) rows[r] = a + r * a_stride;
  // sums[set] += column p of A times row p of B
  const auto step = [&](V(&sum)[kR][kVectors], std::size_t p, std::size_t u) HWY_ATTR {
    const T* HWY_RESTRICT row_of_b = b + u * (kStrideB == 0 ? b_stride : kStrideB);
    // A packed panel is asked for 16 rows ahead: with the weight in L3, 4 to 6 rows of A take 133
    // us instead of 150. One row is bound by the bandwidth alone (see row_window).
    if constexpr (kStrideB != 0 && kR > 1) {
      for (std::size_t j = 0; j < kN; j += 64 / sizeof(T)) hwy::Prefetch(row_of_b + 16 * kN + j);
    }
    V right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, row_of_b + v * kL);
    for (std::size_t r = 0; r < kR; ++r) {
      const T* HWY_RESTRICT left = kOrder == Order::rows          ? rows[r] + p + u
                                   : kOrder == Order::packed_rows ? a + r * kDepth + u
                                                                  : a + u * kRows + r;
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = hn::MulAdd(hn::Set(d, *left), right[v], sum[r][v]);
      }
    }
  };
  std::size_t p = 0;
  for (; p + 4 <= k; p += 4) {
    step(sums[0], p, 0);
    step(sums[1 % kSets], p, 1);
    step(sums[2 % kSets], p, 2);
    step(sums[3 % kSets], p, 3);
    a += kOrder == Order::packed_columns ? 4 * kRows : 4;
    b += 4 * (kStrideB == 0 ? b_stride : kStrideB);
  }
  for (; p < k; ++p) {
    step(sums[0], p, 0);
    a += kOrder == Order::packed_columns ? kRows : 1;
    b += kStrideB == 0 ? b_stride : kStrideB;
  }

  for (std::size_t s = 1; s < kSets; ++s) {
    for (std::size_t r = 0; r < kR; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[0][r][v] = hn::Add(sums[0][r][v], sums[s][r][v]);
      }
    }
  }
  const V alpha = hn::Set(d, out.alpha);
  if (out.columns < kN || out.activation != Activation::none) {
    HWY_ALIGN WholeVectors<T, kR * kN> products;
    for (std::size_t r = 0; r < kR; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::Store(hn::Mul(sums[0][r][v], alpha), d, products + r * kN + v * kL);
      }
    }
    StoreThroughBuffer<T, kR>(products, out);
    return;
  }
  const V beta = hn::Set(d, out.beta);
  const auto store = [&](const auto& finish) HWY_ATTR {
    for (std::size_t r = 0; r < kR; ++r) {
      T* HWY_RESTRICT c = out.c + r * out.ldc;
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::StoreU(finish(hn::Mul(sums[0][r][v], alpha), c + v * kL, v * kL), d, c + v * kL);
      }
    }
  };
  const bool read_c = out.beta != 0;
  const T* HWY_RESTRICT bias = out.bias;
  if (bias == nullptr && !read_c) {
    store([](V x, const T*, std::size_t) HWY_ATTR { return x; });
  } else if (bias == nullptr) {
    store([&](V x, const T* c, std::size_t)
              HWY_ATTR { return hn::MulAdd(beta, hn::LoadU(d, c), x); });
  } else {
    store([&](V x, const T* c, std::size_t j) HWY_ATTR {
      if (read_c) x = hn::MulAdd(beta, hn::LoadU(d, c), x);
      return hn::Add(x, hn::LoadU(d, bias + j));
    });
  }
}

template <typename T, Order kOrder, std::size_t kStrideB>
void TileOfRows(std::size_t rows, std::size_t k, const T* a, std::size_t a_stride, const T* b,
                std::size_t b_stride, const TileOutput<T>& out) {
  switch (rows) {
    case 1:
      return TileProduct<T, 1, kOrder, kStrideB>(k, a, a_stride, b, b_stride, out);
    case 2:
      return TileProduct<T, 2, kOrder, kStrideB>(k, a, a_stride, b, b_stride, out);
    case 3:
      return TileProduct<T, 3, kOrder, kStrideB>(k, a, a_stride, b, b_stride, out);
    case 4:
      return TileProduct<T, 4, kOrder, kStrideB>(k, a, a_stride, b, b_stride, out);
    case 5:
      return TileProduct<T, 5, kOrder, kStrideB>(k, a, a_stride, b, b_stride, out);
    default:
      return TileProduct<T, 6, kOrder, kStrideB>(k, a, a_stride, b, b_stride, out);
  }
}

// Where strip i of `count` begins when m rows are spread evenly: 16 rows are 5 + 5 + 6, not 6 + 6 +
// 4, because a tile of few rows starves the multipliers.
inline std::size_t StripBegin(std::size_t m, std::size_t count, std::size_t i) {
  return m * i / count;
}

// C [m, out.columns] for one panel of B: every strip of A in turn, the panel staying in L1.
// a_stride matters to Order::rows, b_stride to kStrideB 0.
template <typename T, Order kOrder, std::size_t kStrideB>
void PanelProduct(std::size_t m, std::size_t k, const T* a, std::size_t a_stride, const T* b,
                  std::size_t b_stride, const TileOutput<T>& out) {
  const std::size_t strips = (m + kRows - 1) / kRows;
  for (std::size_t i = 0; i < strips; ++i) {
    const std::size_t begin = StripBegin(m, strips, i);
    const std::size_t rows = StripBegin(m, strips, i + 1) - begin;
    const std::size_t offset = kOrder == Order::rows          ? begin * a_stride
                               : kOrder == Order::packed_rows ? begin * kDepth
                                                              : i * kRows * kDepth;
    TileOutput<T> to = out;
    to.c += begin * out.ldc;
    TileOfRows<T, kOrder, kStrideB>(rows, k, a + offset, a_stride, b, b_stride, to);
  }
}

// Side of the square that transpose_square turns: 4 floats or 2 doubles.
template <typename T>
constexpr std::size_t kSquare = HWY_TARGET == HWY_SCALAR ? 1 : 16 / sizeof(T);

// to[column][row] = from[row][column] over kSquare rows and columns.
template <typename T>
HWY_INLINE void TransposeSquare(const T* HWY_RESTRICT from, std::size_t from_stride,
                                T* HWY_RESTRICT to, std::size_t to_stride) {
#if HWY_TARGET == HWY_SCALAR
  (void)from_stride;
  (void)to_stride;
  *to = *from;
#else
  const hn::FixedTag<T, kSquare<T> > d;
  const auto row0 = hn::LoadU(d, from);
  const auto row1 = hn::LoadU(d, from + from_stride);
  if constexpr (kSquare<T> == 2) {
    hn::StoreU(hn::InterleaveLower(d, row0, row1), d, to);
    hn::StoreU(hn::InterleaveUpper(d, row0, row1), d, to + to_stride);
  } else {
    const auto row2 = hn::LoadU(d, from + 2 * from_stride);
    const auto row3 = hn::LoadU(d, from + 3 * from_stride);
    const auto lower02 = hn::InterleaveLower(d, row0, row2);
    const auto lower13 = hn::InterleaveLower(d, row1, row3);
    const auto upper02 = hn::InterleaveUpper(d, row0, row2);
    const auto upper13 = hn::InterleaveUpper(d, row1, row3);
    hn::StoreU(hn::InterleaveLower(d, lower02, lower13), d, to);
    hn::StoreU(hn::InterleaveUpper(d, lower02, lower13), d, to + to_stride);
    hn::StoreU(hn::InterleaveLower(d, upper02, upper13), d, to + 2 * to_stride);
    hn::StoreU(hn::InterleaveUpper(d, upper02, upper13), d, to + 3 * to_stride);
  }
#endif
}

// op(B) as stored: row p of op(B) is at b + p * stride, or (transposed) column j is.
template <typename T>
struct Right {
  const T* b;
  bool transposed;
  std::size_t stride;

  const T* at(std::size_t p, std::size_t j) const {
    return transposed ? b + j * stride + p : b + p * stride + j;
  }
};

// One panel: packed [k, kColumns] from the first `columns` columns of op(B), zeros beside them.
template <typename T>
HWY_NOINLINE void PackPanel(std::size_t k, std::size_t columns, const Right<T>& right,
                            T* HWY_RESTRICT packed) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kN = kColumns<T>;
  if (columns < kN) {
    for (std::size_t i = 0; i < k * kN; i += LaneCount<T>()) hn::StoreU(hn::Zero(d), d, packed + i);
  }
  if (!right.transposed) {
    for (std::size_t p = 0; p < k; ++p) {
      const T* HWY_RESTRICT from = right.b + p * right.stride;
      T* HWY_RESTRICT to = packed + p * kN;
      if (columns == kN) {
        for (std::size_t j = 0; j < kN; j += LaneCount<T>())
          hn::StoreU(hn::LoadU(d, from + j), d, to + j);
      } else {
        std::memcpy(to, from, columns * sizeof(T));
      }
    }
    return;
  }
  std::size_t j = 0;
  for (; j + kSquare<T> <= columns; j += kSquare<T>) {
    const T* HWY_RESTRICT from = right.b + j * right.stride;
    std::size_t p = 0;
    for (; p + kSquare<T> <= k; p += kSquare<T>) {
      TransposeSquare(from + p, right.stride, packed + p * kN + j, kN);
    }
    for (; p < k; ++p) {
      for (std::size_t i = 0; i < kSquare<T>; ++i)
        packed[p * kN + j + i] = from[i * right.stride + p];
    }
  }
  for (; j < columns; ++j) {
    for (std::size_t p = 0; p < k; ++p) packed[p * kN + j] = right.b[j * right.stride + p];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_GEMM_INL_H_
