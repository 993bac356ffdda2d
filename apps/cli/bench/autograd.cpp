// SPDX-License-Identifier: Apache-2.0
// What recording costs: small ops, forward plus backward, where the arithmetic is next to nothing.
#include "cli/bench/harness.h"
#include "heed/autograd/ops.h"

namespace heed::cli {
namespace {

// A chain of kOps adds of 16 floats, then backward through it; time per op.
BenchRow recorded_add() {
  constexpr int kOps = 1000;
  const Variable x = Variable::leaf(Tensor::full({16}, 1));
  const Variable y = Variable::leaf(Tensor::full({16}, 1));
  const Tensor seed = Tensor::full({16}, 1);
  // Forward reads two tensors and writes one, backward adds one to another.
  BenchRow row = measure("add16", {.flops = 2.0 * 16 * kOps}, [&] {
    Variable total = x;
    for (int i = 0; i < kOps; ++i) total = total + y;
    backward(total, seed);
    Variable(x).clear_gradient();
    Variable(y).clear_gradient();
  });
  row.ms /= kOps;
  return row;
}

std::vector<BenchRow> run() {
  return {recorded_add()};
}

const ListedBenchmark kListed({"autograd", "a recorded op on 16 floats, forward plus backward",
                               run});

}  // namespace
}  // namespace heed::cli
