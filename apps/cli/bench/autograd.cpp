// SPDX-License-Identifier: Apache-2.0
// What recording costs: small ops, forward plus backward, where the arithmetic is next to nothing.
#include "cli/bench/harness.h"
#include "heed/autograd/ops.h"

namespace heed::cli {
namespace {

constexpr int kOps = 1000;

// Time per op of `run`, which records kOps of them; the arithmetic is 16 additions each way.
BenchRow per_op(const char* name, const std::function<void()>& run) {
  BenchRow row = measure(name, {.flops = 2.0 * 16 * kOps}, run);
  row.ms /= kOps;
  return row;
}

std::vector<BenchRow> recorded_adds() {
  Variable a = Variable::leaf(Tensor::full({16}, 1));
  Variable b = Variable::leaf(Tensor::full({16}, 1));
  const Tensor seed = Tensor::full({16}, 1);
  const auto clear = [&] {
    a.clear_gradient();
    b.clear_gradient();
  };
  return {per_op("add16",  // one op, then backward from it
                 [&] {
                   for (int i = 0; i < kOps; ++i) {
                     backward(a + b, seed);
                     clear();
                   }
                 }),
          per_op("add16_chain", [&] {
            Variable total = a;
            for (int i = 0; i < kOps; ++i) total = total + b;
            backward(total, seed);
            clear();
          })};
}

const ListedBenchmark kListed({"autograd", "a recorded op on 16 floats, forward plus backward",
                               recorded_adds});

}  // namespace
}  // namespace heed::cli
