// SPDX-License-Identifier: Apache-2.0
// A training step of LSTM and GRU over 50 steps: forward and backward with all gradients.
#include <fmt/format.h>

#include <algorithm>

#include "cli/bench/harness.h"
#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/nn/initialisers.h"

namespace heed::cli {
namespace {

BenchRow recurrent_step(const char* cell_name, kernels::Cell cell, std::int64_t batch,
                        std::int64_t hidden) {
  constexpr std::int64_t kSteps = 50;
  const auto gates = static_cast<std::int64_t>(kernels::gate_count(cell));
  Random random(1);
  const auto leaf = [&](const Shape& shape) {
    return Variable::leaf(nn::uniform(shape, random, Real(-0.05), Real(0.05)));
  };
  Variable x = leaf({kSteps, batch, hidden});
  RecurrentWeights weights{
      leaf({gates * hidden, hidden}), leaf({gates * hidden, hidden}), leaf({gates * hidden}), {}};
  const Tensor seed = Tensor::full({kSteps, batch, hidden}, Real(0.01));
  // Two products (input and recurrent) forward, twice as much backward.
  const double flops = 3.0 * 2 * 2 * static_cast<double>(kSteps * batch * gates * hidden * hidden);
  return measure(fmt::format("{}_t{}_b{}_h{}", cell_name, kSteps, batch, hidden), {.flops = flops},
                 [&] {
                   const RecurrentResult result = recurrent(cell, x, weights);
                   backward(result.outputs, seed);
                   for (Variable* leaf : {&x, &weights.w_x, &weights.w_h, &weights.bias})
                     leaf->clear_gradient();
                 });
}

std::vector<BenchRow> recurrent_rows() {
  std::vector<BenchRow> rows;
  const int most = threads();
  for (int count = 1; count <= most; count += std::max(1, most - 1)) {
    const ThreadScope scope(count);
    rows.push_back(recurrent_step("lstm", kernels::Cell::lstm, 64, 512));
    rows.push_back(recurrent_step("lstm", kernels::Cell::lstm, 16, 256));
    rows.push_back(recurrent_step("gru", kernels::Cell::gru, 64, 512));
    rows.push_back(recurrent_step("gru", kernels::Cell::gru, 16, 256));
  }
  return rows;
}

const ListedBenchmark kListed({"recurrent", "LSTM and GRU training steps over 50 time steps",
                               recurrent_rows});

}  // namespace
}  // namespace heed::cli
