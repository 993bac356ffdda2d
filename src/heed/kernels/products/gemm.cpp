// SPDX-License-Identifier: Apache-2.0
// Who computes a matrix product: Heed's own blocks, spread over threads, or oneDNN.
#include "heed/kernels/products/gemm.h"

#include <omp.h>

#include <algorithm>
#include <type_traits>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/products/gemm_blocks.h"
#include "heed/kernels/products/onednn.h"

namespace heed::kernels {
namespace {

// Multiply-adds that keep one thread busy for some 10 us, several times the cost of waking it.
constexpr std::size_t kGrain = std::size_t{1} << 19;
constexpr std::size_t kStripRows = 6;

template <typename T>
GemmProblem<T> make_problem(const T* a, const T* b, const T* packed_b, T* c,
                            const GemmOptions<T>& options) {
  GemmProblem<T> problem{options, a, b, packed_b, c};
  GemmOptions<T>& full = problem.options;
  if (full.lda == 0) full.lda = full.transpose_a ? full.m : full.k;
  if (full.ldb == 0) full.ldb = full.transpose_b ? full.k : full.n;
  if (full.ldc == 0) full.ldc = full.n;
  return problem;
}

std::size_t available_threads() {
  return omp_in_parallel() != 0 ? 1 : static_cast<std::size_t>(threads());
}

// A grid of parts over C, one per thread.
struct Grid {
  std::size_t down = 1;
  std::size_t across = 1;
};

// The division whose largest part is smallest, and of those the one that packs least: a part of r
// rows and s columns packs (r + s) k elements.
template <typename T>
Grid make_grid(const GemmOptions<T>& options, std::size_t parts) {
  const std::size_t columns = panel_columns<T>();
  const std::size_t strips = (options.m + kStripRows - 1) / kStripRows;
  const std::size_t panels = (options.n + columns - 1) / columns;
  Grid best;
  std::size_t least_work = strips * panels;
  std::size_t least_packing = strips * kStripRows + panels * columns;
  for (std::size_t down = 1; down <= parts; ++down) {
    const std::size_t across = parts / down;
    const std::size_t tall = (strips + down - 1) / down;
    const std::size_t wide = (panels + across - 1) / across;
    const std::size_t packing = tall * kStripRows + wide * columns;
    if (tall * wide < least_work || (tall * wide == least_work && packing < least_packing)) {
      best = {down, across};
      least_work = tall * wide;
      least_packing = packing;
    }
  }
  return best;
}

// oneDNN's AVX-512 kernels reach .84 of the FMA loop at 2048^3. On AVX2 the tile of gemm-inl.h is
// as fast or faster (88 against 87 GFLOP/s at 2048^3, 93 against 95 at 256^3) and twice as fast
// for few rows, so there oneDNN is left out.
template <typename T>
bool onednn_is_faster(const GemmProblem<T>& problem) {
  const GemmOptions<T>& options = problem.options;
  constexpr std::size_t kColumnsOfAvx512 = 64;
  constexpr std::size_t kLeast = 96;
  return problem.b != nullptr && panel_columns<T>() == kColumnsOfAvx512 &&
         std::min({options.m, options.n, options.k}) >= kLeast;
}

template <typename T>
bool run_onednn(const GemmProblem<T>& problem) {
  if constexpr (std::is_same_v<T, float>) {  // it has no product of doubles
    return onednn_is_faster(problem) && onednn_gemm(problem);
  } else {
    return false;
  }
}

template <typename T>
void run(const GemmProblem<T>& problem) {
  const GemmOptions<T>& options = problem.options;
  if (options.m == 0 || options.n == 0 || run_onednn(problem)) return;
  const std::size_t work = options.m * options.n * std::max<std::size_t>(options.k, 1);
  const std::size_t parts = std::min(available_threads(), work / kGrain);
  if (parts < 2) {
    gemm_window(problem, {0, options.m, 0, options.n});
    return;
  }
  const Grid grid = make_grid<T>(options, parts);
  const std::size_t columns = panel_columns<T>();
  const std::size_t strips = (options.m + kStripRows - 1) / kStripRows;
  const std::size_t panels = (options.n + columns - 1) / columns;
  const auto rows_before = [&](std::size_t part) {
    return std::min(options.m, strips * part / grid.down * kStripRows);
  };
  const auto columns_before = [&](std::size_t part) {
    return std::min(options.n, panels * part / grid.across * columns);
  };
  const std::size_t cells = grid.down * grid.across;
#pragma omp parallel for num_threads(static_cast <int>(cells)) schedule(static, 1)
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t i = cell / grid.across;
    const std::size_t j = cell % grid.across;
    gemm_window(problem,
                {rows_before(i), rows_before(i + 1), columns_before(j), columns_before(j + 1)});
  }
}

}  // namespace

template <typename T>
void gemm(const T* a, const T* b, T* c, const GemmOptions<T>& options) noexcept {
  run(make_problem<T>(a, b, nullptr, c, options));
}

template <typename T>
void gemm_packed(const T* a, const T* packed_b, T* c, const GemmOptions<T>& options) noexcept {
  run(make_problem<T>(a, nullptr, packed_b, c, options));
}

template <typename T>
void batched_gemm(const T* a, const T* b, T* c, const GemmOptions<T>& each,
                  const BatchStrides& batch) noexcept {
  const GemmProblem<T> first = make_problem<T>(a, b, nullptr, c, each);
  const GemmOptions<T>& options = first.options;
  if (batch.count == 0 || options.m == 0 || options.n == 0) return;
  if (batch.b == 0 && !options.transpose_a && batch.a == options.m * options.lda &&
      batch.c == options.m * options.ldc) {
    GemmProblem<T> tall = first;  // one shared B: the matrices of A are rows of one tall matrix
    tall.options.m *= batch.count;
    run(tall);
    return;
  }
  const auto nth = [&](std::size_t i) {
    GemmProblem<T> problem = first;
    problem.a += i * batch.a;
    problem.b += i * batch.b;
    problem.c += i * batch.c;
    return problem;
  };
  const std::size_t work = options.m * options.n * std::max<std::size_t>(options.k, 1);
  const std::size_t most = available_threads();
  const std::size_t parts = std::min({most, batch.count, batch.count * work / kGrain});
  // Whole matrices per thread, unless that would leave threads idle in the last round.
  if (parts >= 2 && (batch.count % parts == 0 || batch.count >= 4 * parts)) {
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static)
    for (std::size_t i = 0; i < batch.count; ++i) {
      gemm_window(nth(i), {0, options.m, 0, options.n});
    }
    return;
  }
  for (std::size_t i = 0; i < batch.count; ++i) run(nth(i));
}

template <typename T>
std::size_t packed_size(std::size_t k, std::size_t n) noexcept {
  const std::size_t columns = panel_columns<T>();
  return (n + columns - 1) / columns * columns * k;
}

template <typename T>
void pack(const T* b, const PackOptions& options, T* packed_b) noexcept {
  PackOptions full = options;
  if (full.ldb == 0) full.ldb = full.transpose_b ? full.k : full.n;
  const std::size_t columns = panel_columns<T>();
  const std::size_t panels = (full.n + columns - 1) / columns;
  const std::size_t grain =
      1 + (std::size_t{1} << 16) / (columns * std::max<std::size_t>(full.k, 1));
  parallel_for(panels, grain, [&](std::size_t begin, std::size_t end) {
    pack_panels(b, full, begin, end, packed_b);
  });
}

template void gemm(const Scalar*, const Scalar*, Scalar*, const GemmOptions<Scalar>&) noexcept;
template void gemm_packed(const Scalar*, const Scalar*, Scalar*,
                          const GemmOptions<Scalar>&) noexcept;
template void batched_gemm(const Scalar*, const Scalar*, Scalar*, const GemmOptions<Scalar>&,
                           const BatchStrides&) noexcept;
template std::size_t packed_size<Scalar>(std::size_t, std::size_t) noexcept;
template void pack(const Scalar*, const PackOptions&, Scalar*) noexcept;

}  // namespace heed::kernels
