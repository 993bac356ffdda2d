// SPDX-License-Identifier: Apache-2.0
// A neural Turing machine learns to copy what it was shown, and copies more than it has learnt
// from.
#include "heed/models/turing_machine.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/nn/module.h"
#include "heed/training/optimiser.h"

namespace heed::test {
namespace {

// `length` vectors of 3 bits, the sign that they end, and as many empty inputs, in which the
// vectors are wanted: inputs [2L+1,B,4], bits [L,B,3].
struct CopyTask {
  Tensor inputs;
  Tensor bits;
};
CopyTask copy_task(std::int64_t length, std::int64_t batch, Random& random) {
  CopyTask task{Tensor::zeros({2 * length + 1, batch, 4}), Tensor::zeros({length, batch, 3})};
  Real* in = task.inputs.mutable_data();
  Real* bits = task.bits.mutable_data();
  for (std::int64_t t = 0; t < length; ++t) {
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const Real bit = random.next_u64() % 2 == 0 ? 0 : 1;
        in[(t * batch + b) * 4 + i] = bit;
        bits[(t * batch + b) * 3 + i] = bit;
      }
    }
  }
  for (std::int64_t b = 0; b < batch; ++b) in[(length * batch + b) * 4 + 3] = 1;
  return task;
}

double wrong_bits(const models::TuringMachine& machine, std::int64_t length) {
  Random random(99);
  const CopyTask task = copy_task(length, 40, random);
  const Tensor logits = machine(task.inputs).value().slice(0, length + 1, 2 * length + 1).packed();
  double wrong = 0;
  for (std::int64_t i = 0; i < logits.size(); ++i) {
    wrong += (logits.data()[i] > 0) != (task.bits.data()[i] > 0.5) ? 1 : 0;
  }
  return wrong / static_cast<double>(logits.size());
}

TEST(TuringMachine, LearnsToCopyAndCopiesMoreThanItLearnt) {
  Random random(1);
  models::TuringMachine machine({.inputs = 4, .outputs = 3, .hidden = 32, .slots = 12, .width = 6},
                                random);
  training::Optimiser adam(nn::parameters(machine), training::Adam{});
  EXPECT_GT(wrong_bits(machine, 4), .3);
  for (int update = 0; update < 500; ++update) {
    const std::int64_t length = 1 + static_cast<std::int64_t>(random.next_u64() % 4);
    const CopyTask task = copy_task(length, 16, random);
    const Variable logits = slice(machine(task.inputs), 0, length + 1, 2 * length + 1);
    // The cross-entropy of bits: log(1 + e^x) - x of a 1.
    const Variable loss = mean(softplus(logits) - logits * Variable(task.bits));
    backward(loss);
    adam.step({.learning_rate = 5e-3, .clip_norm = 10});
  }
  EXPECT_LT(wrong_bits(machine, 4), .01);
  EXPECT_LT(wrong_bits(machine, 6), .05);
}

}  // namespace
}  // namespace heed::test
