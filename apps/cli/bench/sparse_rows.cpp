// SPDX-License-Identifier: Apache-2.0
// Sparsemax, entmax and chain rows, forward and backward: many short rows and a few long ones.
#include <algorithm>
#include <vector>

#include "cli/bench/harness.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention/chain_rows.h"
#include "heed/kernels/attention/sparse_rows.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {
namespace {

struct Case {
  const char* name;
  const char* backward_name;
  double alpha;
  std::int64_t rows, columns;
};
constexpr Case kCases[] = {
    {"sparsemax_15360x30", "sparsemax_back_15360x30", 2, 15360, 30},
    {"entmax15_15360x30", "entmax15_back_15360x30", 1.5, 15360, 30},
    {"sparsemax_128x32000", "sparsemax_back_128x32000", 2, 128, 32000},
    {"entmax15_128x32000", "entmax15_back_128x32000", 1.5, 128, 32000},
};

constexpr kernels::ChainPair kChainPair{.coupling = 1, .change = 0};

// Marginals of linear chains, as many and as short as the rows of attention are.
void add_chain_rows(std::vector<BenchRow>& rows, Random& random) {
  const std::size_t n = 15360, columns = 30;
  const Shape shape{static_cast<std::int64_t>(n), static_cast<std::int64_t>(columns)};
  Tensor x(shape), dy(shape), y(shape), dx(shape);
  for (Tensor* tensor : {&x, &dy}) {
    fill_normal({tensor->mutable_data(), static_cast<std::size_t>(tensor->size())}, random);
  }
  Real* const weights = y.mutable_data();
  Real* const gradient = dx.mutable_data();
  const double bytes = sizeof(Real) * static_cast<double>(x.size());
  rows.push_back(measure("chain_15360x30", {.bytes = 2 * bytes}, [&] {
    kernels::chain_marginals(kChainPair, x.data(), weights, n, columns);
  }));
  rows.push_back(measure("chain_back_15360x30", {.bytes = 4 * bytes}, [&] {
    kernels::chain_marginals_backward(kChainPair, x.data(), y.data(), dy.data(), gradient, n,
                                      columns);
  }));
}

// Scores are standard normal; on one thread and on all.
std::vector<BenchRow> sparse_rows() {
  std::vector<BenchRow> rows;
  const int most = threads();
  for (int count = 1; count <= most; count += std::max(1, most - 1)) {
    const ThreadScope scope(count);
    Random random(1);
    for (const Case& each : kCases) {
      const Shape shape{each.rows, each.columns};
      Tensor x(shape), y(shape), dx(shape);
      fill_normal({x.mutable_data(), static_cast<std::size_t>(x.size())}, random);
      Real* const weights = y.mutable_data();
      Real* const gradient = dx.mutable_data();
      const auto n = static_cast<std::size_t>(each.rows);
      const auto columns = static_cast<std::size_t>(each.columns);
      const double bytes = sizeof(Real) * static_cast<double>(x.size());
      rows.push_back(measure(each.name, {.bytes = 2 * bytes},
                             [&] { kernels::entmax(each.alpha, x.data(), weights, n, columns); }));
      rows.push_back(measure(each.backward_name, {.bytes = 3 * bytes}, [&] {
        kernels::entmax_backward(each.alpha, y.data(), x.data(), gradient, n, columns);
      }));
    }
    add_chain_rows(rows, random);
  }
  return rows;
}

const ListedBenchmark kSparseRows({"sparse", "sparsemax, entmax and chain rows", sparse_rows});

}  // namespace
}  // namespace heed::cli
