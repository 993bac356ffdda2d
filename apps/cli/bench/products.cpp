// SPDX-License-Identifier: Apache-2.0
// Matrix products: square ones, and few rows against a packed weight.
#include <algorithm>
#include <string>

#include "cli/bench/harness.h"
#include "heed/base/threads.h"
#include "heed/kernels/products/gemm.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {
namespace {

Tensor matrix(std::size_t rows, std::size_t columns) {
  return Tensor::full({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)},
                      Real(0.01));
}

std::vector<BenchRow> squares() {
  std::vector<BenchRow> rows;
  const int most = threads();
  for (int count = 1; count <= most; count += std::max(1, most - 1)) {
    const ThreadScope scope(count);
    for (const std::size_t n : {256, 512, 1024, 2048}) {
      const Tensor a = matrix(n, n);
      const Tensor b = matrix(n, n);
      Tensor c = matrix(n, n);
      Real* out = c.mutable_data();
      rows.push_back(
          measure("gemm_" + std::to_string(n), {.flops = 2.0 * static_cast<double>(n * n * n)},
                  [&] { kernels::gemm<Real>(a.data(), b.data(), out, {.m = n, .n = n, .k = n}); }));
    }
  }
  return rows;
}

std::vector<BenchRow> few_rows() {
  constexpr std::size_t k = 512;
  constexpr std::size_t n = 2048;
  const Tensor weight = matrix(k, n);
  Tensor packed(Shape{static_cast<std::int64_t>(kernels::packed_size<Real>(k, n))});
  kernels::pack<Real>(weight.data(), {.k = k, .n = n}, packed.mutable_data());
  std::vector<BenchRow> rows;
  const ThreadScope scope(1);
  for (const std::size_t m : {1, 2, 4, 8, 16, 32}) {
    const Tensor a = matrix(m, k);
    Tensor c = matrix(m, n);
    Real* out = c.mutable_data();
    rows.push_back(measure(
        "packed_rows_" + std::to_string(m), {.flops = 2.0 * static_cast<double>(m * n * k)}, [&] {
          kernels::gemm_packed<Real>(a.data(), packed.data(), out, {.m = m, .n = n, .k = k});
        }));
  }
  return rows;
}

const ListedBenchmark kSquares({"gemm", "square matrix products, 256 to 2048", squares});
const ListedBenchmark kFewRows({"packed", "1 to 32 rows against a packed 512 x 2048 weight",
                                few_rows});

}  // namespace
}  // namespace heed::cli
