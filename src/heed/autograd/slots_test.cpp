// SPDX-License-Identifier: Apache-2.0
// Reading and writing slots: by hand, against ordinary ops, and the order of erasing and adding.
#include "heed/autograd/slots.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::wavy;

Variable share(const Variable& x) {
  return softmax(x, -1);
}

TEST(Slots, AreReadBeforeTheyAreWritten) {
  const Variable memory = Tensor::of({1, 2, 2}, {1, 2, 3, 4});
  const SlotsAfter found =
      read_and_write(memory, Tensor::of({1, 1, 2}, {0, 1}),
                     {Tensor::of({1, 1, 2}, {0, 1}), Tensor::of({1, 1, 2}, {1, 0.5}),
                      Tensor::of({1, 1, 2}, {7, 0})});
  expect_near(found.read.value(), Tensor::of({1, 1, 2}, {3, 4}), 1e-6);
  expect_near(found.memory.value(), Tensor::of({1, 2, 2}, {1, 2, 7, 2}), 1e-6);
}

TEST(Slots, LoseNothingThatIsAddedInTheSameStep) {
  // Head 1 erases all, head 0 adds 5: erasing comes first, whoever is first.
  const Variable memory = Tensor::of({1, 1, 1}, {9});
  const SlotsAfter found =
      read_and_write(memory, Tensor::of({1, 1, 1}, {1}),
                     {Tensor::of({1, 2, 1}, {1, 1}), Tensor::of({1, 2, 1}, {0, 1}),
                      Tensor::of({1, 2, 1}, {5, 0})});
  expect_near(found.memory.value(), Tensor::of({1, 1, 1}, {5}), 1e-6);
}

// The same made of ordinary ops.
SlotsAfter composed(const Variable& memory, const Variable& reading, const SlotWrites& writes) {
  Variable kept = memory;
  for (std::int64_t h = 0; h < writes.weights.size(1); ++h) {
    const Variable w = reshape(select(writes.weights, 1, h), {memory.size(0), memory.size(1), 1});
    const Variable e = reshape(select(writes.erase, 1, h), {memory.size(0), 1, memory.size(2)});
    kept = kept * (Real{1} - w * e);
  }
  return {matmul(reading, memory), kept + matmul(transpose(writes.weights, 1, 2), writes.add)};
}

TEST(Slots, AreWhatOrdinaryOpsMakeOfThemGradientsIncluded) {
  for (const std::int64_t heads : {1, 3}) {
    std::vector<Variable> leaves = {
        Variable::leaf(wavy({2, 5, 4})), Variable::leaf(wavy({2, 2, 5}, 1)),
        Variable::leaf(wavy({2, heads, 5}, 2)), Variable::leaf(wavy({2, heads, 4}, 3)),
        Variable::leaf(wavy({2, heads, 4}, 4))};
    std::vector<Tensor> gradients;
    std::vector<Tensor> values;
    for (const auto& way : {read_and_write, composed}) {
      for (Variable& leaf : leaves) leaf.clear_gradient();
      const SlotsAfter found =
          way(leaves[0], share(leaves[1]), {share(leaves[2]), sigmoid(leaves[3]), leaves[4]});
      backward(sum(square(found.read)) + sum(square(found.memory)));
      values.push_back(found.memory.value());
      values.push_back(found.read.value());
      for (const Variable& leaf : leaves) gradients.push_back(leaf.gradient());
    }
    expect_near(values[0], values[2], 1e-5);
    expect_near(values[1], values[3], 1e-5);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      expect_near(gradients[i], gradients[i + leaves.size()], 1e-4);
    }
  }
}

TEST(Slots, OfOtherSizesAreRefused) {
  const Variable memory = Tensor::zeros({1, 2, 3});
  const Variable weights = Tensor::zeros({1, 1, 2});
  const Variable vector = Tensor::zeros({1, 1, 3});
  EXPECT_THROW(read_and_write(memory, Tensor::zeros({1, 1, 4}), {weights, vector, vector}),
               UsageError);
  EXPECT_THROW(read_and_write(memory, weights, {weights, weights, vector}), UsageError);
}

}  // namespace
}  // namespace heed
