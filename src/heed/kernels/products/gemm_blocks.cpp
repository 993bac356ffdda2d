// SPDX-License-Identifier: Apache-2.0
// Blocks of a matrix product: which part of A and B is packed when, and the loops around the tile.
#include "heed/kernels/products/gemm_blocks.h"

#include <algorithm>

#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/products/gemm_blocks.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that this header is compiled for.
#include "heed/kernels/products/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

// Rows of a packed block of A: 160 KiB of L2.
template <typename T>
constexpr std::size_t kBlockRows = 160 * 1024 / (kDepth * sizeof(T)) / kRows* kRows;
// Columns of a packed block of B.
template <typename T>
constexpr std::size_t kBlockColumns = 4096 / sizeof(T);
// Up to here A stays in L1 by itself.
constexpr std::size_t kSmallBytes = 16 * 1024;
// So few rows of A stay in L2 while every panel of B passes once.
constexpr std::size_t kFewRows = 8 * kRows;

// A block of op(A) as the tile reads it.
template <typename T>
struct LeftBlock {
  const T* a;
  Order order;
  std::size_t stride;  // between rows, for Order::rows
};

// Copies a block of op(A), rows from `row` and columns from `column` on, so that each strip is
// contiguous.
template <typename T>
LeftBlock<T> PackLeft(const GemmProblem<T>& problem, std::size_t row, std::size_t column,
                      std::size_t m, std::size_t k, T* HWY_RESTRICT packed) {
  const std::size_t stride = problem.options.lda;
  if (!problem.options.transpose_a) {
    const T* HWY_RESTRICT from = problem.a + row * stride + column;
    for (std::size_t r = 0; r < m; ++r) {
      std::memcpy(packed + r * kDepth, from + r * stride, k * sizeof(T));
    }
    return {packed, Order::packed_rows, 0};
  }
  // Eight stored rows at a time: at a stride of 4 KiB they all fall into one set of L1, and more
  // would push each other out before their lines are used up.
  constexpr std::size_t kTogether = 8;
  const std::size_t strips = (m + kRows - 1) / kRows;
  for (std::size_t p0 = 0; p0 < k; p0 += kTogether) {
    const std::size_t p1 = std::min(p0 + kTogether, k);
    for (std::size_t i = 0; i < strips; ++i) {
      const std::size_t begin = StripBegin(m, strips, i);
      const std::size_t rows = StripBegin(m, strips, i + 1) - begin;
      const T* HWY_RESTRICT from = problem.a + column * stride + row + begin;
      T* HWY_RESTRICT to = packed + i * kRows * kDepth;
      if (rows == kRows) {  // the same loop, of known length
        for (std::size_t p = p0; p < p1; ++p) {
          for (std::size_t r = 0; r < kRows; ++r) to[p * kRows + r] = from[p * stride + r];
        }
      } else {
        for (std::size_t p = p0; p < p1; ++p) {
          for (std::size_t r = 0; r < rows; ++r) to[p * kRows + r] = from[p * stride + r];
        }
      }
    }
  }
  return {packed, Order::packed_columns, 0};
}

// How the operands of one window are brought to the tile.
template <typename T>
struct Plan {
  std::size_t depth;
  std::size_t block_rows;
  std::size_t block_columns;
  T* packed_a;  // null: A is read where it is
  T* packed_b;  // null: B is packed before, or read where it is
};

// What is used when there is no memory for more: one strip and one panel.
template <typename T>
struct SmallBlocks {
  HWY_ALIGN WholeVectors<T, kRows * kDepth> a;
  HWY_ALIGN WholeVectors<T, kColumns<T> * kDepth> b;
};

template <typename T>
Plan<T> MakePlan(const GemmProblem<T>& problem, std::size_t m, std::size_t n,
                 SmallBlocks<T>& small) {
  thread_local Scratch scratch;
  const GemmOptions<T>& options = problem.options;
  constexpr std::size_t kN = kColumns<T>;
  // One strip of rows uses B once: packing it would only add a pass. The tile reads whole vectors,
  // so the columns of the right edge are packed in any case. (A small B read in place for many
  // strips was slower too: 62 GFLOP/s against 80 at 64^3, because its stride is not a constant.)
  const bool direct_b = !options.transpose_a && !options.transpose_b && m <= kRows && n % kN == 0;
  const bool pack_b = problem.packed_b == nullptr && !direct_b;
  const bool few_rows = m <= kFewRows || m * options.k * sizeof(T) <= kSmallBytes;
  // Short rows are near enough to each other as they are.
  const bool pack_a = options.transpose_a || (!few_rows && n > 2 * kN && options.lda > kDepth);
  Plan<T> plan{kDepth, std::min(kBlockRows<T>, RoundUp(m, kRows)), RoundUp(n, kN), nullptr,
               nullptr};
  if (!pack_a && !pack_b && few_rows) {
    plan.block_rows = m;
    plan.block_columns = kN;
    if (m <= kRows) plan.depth = std::max<std::size_t>(options.k, 1);  // no second pass over C
    return plan;
  }
  if (pack_b) plan.block_columns = std::min(kBlockColumns<T>, plan.block_columns);
  const std::size_t size_a = pack_a ? plan.block_rows * kDepth : 0;
  const std::size_t size_b = pack_b ? plan.block_columns * kDepth : 0;
  if (size_a + size_b == 0) return plan;
  T* memory = static_cast<T*>(scratch.reserve((size_a + size_b) * sizeof(T)));
  if (memory == nullptr) {
    plan.block_rows = kRows;
    plan.block_columns = kN;
  }
  if (pack_a) plan.packed_a = memory != nullptr ? memory : small.a;
  if (pack_b) plan.packed_b = memory != nullptr ? memory + size_a : small.b;
  return plan;
}

// A block of op(B) as the tile reads it: panel j at b + j * panel_stride.
template <typename T>
struct RightBlock {
  const T* b;
  std::size_t stride;
  std::size_t panel_stride;
};

template <typename T>
RightBlock<T> MakeRightBlock(const GemmProblem<T>& problem, std::size_t p0, std::size_t column,
                             std::size_t k, std::size_t columns, T* packed) {
  constexpr std::size_t kN = kColumns<T>;
  const GemmOptions<T>& options = problem.options;
  if (problem.packed_b != nullptr) {
    return {problem.packed_b + column * options.k + p0 * kN, kN, options.k * kN};
  }
  const Right<T> right{problem.b, options.transpose_b, options.ldb};
  if (packed == nullptr) return {right.at(p0, column), options.ldb, kN};
  for (std::size_t j = 0; j < columns; j += kN) {
    PackPanel<T>(k, std::min(kN, columns - j),
                 {right.at(p0, column + j), right.transposed, right.stride}, packed + j * k);
  }
  return {packed, kN, k * kN};
}

// One panel of C; `j` counts panels.
template <typename T>
void BlockPanel(std::size_t rows, std::size_t k, const LeftBlock<T>& left,
                const RightBlock<T>& right, std::size_t j, const TileOutput<T>& out) {
  constexpr std::size_t kN = kColumns<T>;
  const T* b = right.b + j * right.panel_stride;
  if (left.order == Order::packed_columns) {
    PanelProduct<T, Order::packed_columns, kN>(rows, k, left.a, 0, b, kN, out);
  } else if (left.order == Order::packed_rows) {
    PanelProduct<T, Order::packed_rows, kN>(rows, k, left.a, 0, b, kN, out);
  } else if (right.stride == kN) {
    PanelProduct<T, Order::rows, kN>(rows, k, left.a, left.stride, b, kN, out);
  } else {
    PanelProduct<T, Order::rows, 0>(rows, k, left.a, left.stride, b, right.stride, out);
  }
}

template <typename T>
void WindowProduct(const GemmProblem<T>& problem, const GemmWindow& window) {
  const GemmOptions<T>& options = problem.options;
  constexpr std::size_t kN = kColumns<T>;
  SmallBlocks<T> small;
  const Plan<T> plan = MakePlan(problem, window.row_end - window.row_begin,
                                window.column_end - window.column_begin, small);
  for (std::size_t j0 = window.column_begin; j0 < window.column_end; j0 += plan.block_columns) {
    const std::size_t columns = std::min(plan.block_columns, window.column_end - j0);
    std::size_t p0 = 0;
    do {
      const std::size_t k = std::min(plan.depth, options.k - p0);
      const bool last = p0 + k == options.k;
      const RightBlock<T> right = MakeRightBlock(problem, p0, j0, k, columns, plan.packed_b);
      for (std::size_t i0 = window.row_begin; i0 < window.row_end; i0 += plan.block_rows) {
        const std::size_t rows = std::min(plan.block_rows, window.row_end - i0);
        const LeftBlock<T> left =
            plan.packed_a != nullptr
                // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it is the thread's until that ends
                ? PackLeft<T>(problem, i0, p0, rows, k, plan.packed_a)
                : LeftBlock<T>{problem.a + i0 * options.lda + p0, Order::rows, options.lda};
        for (std::size_t j = 0; j < columns; j += kN) {
          const T* bias = last && options.bias != nullptr ? options.bias + j0 + j : nullptr;
          const TileOutput<T> out{problem.c + i0 * options.ldc + j0 + j,
                                  options.ldc,
                                  std::min(kN, columns - j),
                                  options.alpha,
                                  p0 == 0 ? options.beta : T{1},
                                  bias,
                                  last ? options.activation : Activation::none};
          BlockPanel<T>(rows, k, left, right, j / kN, out);
        }
      }
      p0 += k;
    } while (p0 < options.k);
  }
}

// One row against a packed B is bound by the rate at which B arrives; panels read side by side are
// as many streams for the prefetcher.
template <typename T>
void RowWindow(const GemmProblem<T>& problem, const GemmWindow& window) {
  const GemmOptions<T>& options = problem.options;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kN = kColumns<T>;
  constexpr std::size_t kL = LaneCount<T>();
  constexpr std::size_t kPanels = 4;
  const std::size_t k = options.k;
  const std::size_t a_stride = options.transpose_a ? options.lda : 1;
  const T* HWY_RESTRICT a = problem.a + window.row_begin * (options.transpose_a ? 1 : options.lda);
  T* const c = problem.c + window.row_begin * options.ldc;
  std::size_t column = window.column_begin;
  for (; column + kPanels * kN <= window.column_end; column += kPanels * kN) {
    const T* HWY_RESTRICT b = problem.packed_b + column * k;
    V sums[kPanels][kVectors];
    for (std::size_t j = 0; j < kPanels; ++j) {
      for (std::size_t v = 0; v < kVectors; ++v) sums[j][v] = hn::Zero(d);
    }
    for (std::size_t p = 0; p < k; ++p) {
      const V left = hn::Set(d, a[p * a_stride]);
      for (std::size_t j = 0; j < kPanels; ++j) {
        for (std::size_t v = 0; v < kVectors; ++v) {
          sums[j][v] = hn::MulAdd(left, hn::LoadU(d, b + j * k * kN + v * kL), sums[j][v]);
        }
      }
      b += kN;
    }
    const V alpha = hn::Set(d, options.alpha);
    HWY_ALIGN WholeVectors<T, kPanels * kN> products;
    for (std::size_t j = 0; j < kPanels; ++j) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        hn::Store(hn::Mul(sums[j][v], alpha), d, products + j * kN + v * kL);
      }
      const std::size_t at = column + j * kN;
      StoreThroughBuffer<T, 1>(
          products + j * kN,
          {c + at, options.ldc, kN, options.alpha, options.beta,
           options.bias != nullptr ? options.bias + at : nullptr, options.activation});
    }
  }
  if (column < window.column_end) {
    WindowProduct<T>(problem, {window.row_begin, window.row_end, column, window.column_end});
  }
}

template <typename T>
void AnyWindow(const GemmProblem<T>& problem, const GemmWindow& window) {
  if (window.row_end - window.row_begin == 1 && problem.packed_b != nullptr) {
    RowWindow(problem, window);
  } else {
    WindowProduct(problem, window);
  }
}

template <typename T>
void FinishWindow(const GemmProblem<T>& problem, const GemmWindow& window) {
  const GemmOptions<T>& options = problem.options;
  constexpr std::size_t kN = kColumns<T>;
  const hn::ScalableTag<T> d;
  HWY_ALIGN WholeVectors<T, kN> products;
  for (std::size_t row = window.row_begin; row < window.row_end; ++row) {
    for (std::size_t j = window.column_begin; j < window.column_end; j += kN) {
      for (std::size_t i = 0; i < kN; i += LaneCount<T>()) hn::Store(hn::Zero(d), d, products + i);
      StoreThroughBuffer<T, 1>(
          products,
          {problem.c + row * options.ldc + j, options.ldc, std::min(kN, window.column_end - j),
           T{1}, T{1}, options.bias != nullptr ? options.bias + j : nullptr, options.activation});
    }
  }
}

template <typename T>
void PackSome(const T* b, const PackOptions& options, std::size_t begin, std::size_t end,
              T* packed) {
  constexpr std::size_t kN = kColumns<T>;
  const Right<T> right{b, options.transpose_b, options.ldb};
  for (std::size_t panel = begin; panel < end; ++panel) {
    const std::size_t j = panel * kN;
    PackPanel<T>(options.k, std::min(kN, options.n - j),
                 {right.at(0, j), right.transposed, right.stride}, packed + j * options.k);
  }
}

void WindowEntry(const GemmProblem<Scalar>& problem, const GemmWindow& window) {
  AnyWindow(problem, window);
}
void FinishEntry(const GemmProblem<Scalar>& problem, const GemmWindow& window) {
  FinishWindow(problem, window);
}
void PackEntry(const Scalar* b, const PackOptions& options, std::size_t begin, std::size_t end,
               Scalar* packed) {
  PackSome(b, options, begin, end, packed);
}
std::size_t ColumnsEntry() {
  return kColumns<Scalar>;
}

}  // namespace
}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(WindowEntry);
HWY_EXPORT(FinishEntry);
HWY_EXPORT(PackEntry);
HWY_EXPORT(ColumnsEntry);

template <>
void gemm_window(const GemmProblem<Scalar>& problem, const GemmWindow& window) noexcept {
  HWY_DYNAMIC_DISPATCH(WindowEntry)(problem, window);
}
template <>
void gemm_finish(const GemmProblem<Scalar>& problem, const GemmWindow& window) noexcept {
  HWY_DYNAMIC_DISPATCH(FinishEntry)(problem, window);
}
template <>
void pack_panels(const Scalar* b, const PackOptions& options, std::size_t begin, std::size_t end,
                 Scalar* packed) noexcept {
  HWY_DYNAMIC_DISPATCH(PackEntry)(b, options, begin, end, packed);
}
template <>
std::size_t panel_columns<Scalar>() noexcept {
  return HWY_DYNAMIC_DISPATCH(ColumnsEntry)();
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
