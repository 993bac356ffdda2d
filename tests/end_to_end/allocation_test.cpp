// SPDX-License-Identifier: Apache-2.0
// A steady training step must not call malloc: this file is between the program and the C
// library's.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

#include "heed/autograd/ops.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/norm.h"
#include "heed/nn/recurrent.h"
#include "heed/training/optimiser.h"

#ifndef HEED_CHECK_VERSIONS  // the sanitizers bring their own malloc

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): names of glibc
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  ++allocations;
  return __libc_realloc(block, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocations;
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  ++allocations;
  *block = __libc_memalign(alignment, bytes);
  return *block == nullptr ? ENOMEM : 0;
}
}

namespace heed {
namespace {

// A bit of everything that models are made of.
struct Model {
  nn::Embedding words;
  nn::RecurrentNetwork lstm;
  nn::LayerNorm norm;
  nn::FeedForward block;
  nn::Linear classes;

  explicit Model(Random& random)
      : words(50, 32, random),
        lstm({.cell = nn::Cell::lstm,
              .inputs = 32,
              .hidden = 32,
              .layers = 2,
              .bidirectional = true,
              .dropout = Real(0.1)},
             random),
        norm(64),
        block({.width = 64, .inner = 128, .activation = Activation::gelu, .dropout = Real(0.1)},
              random),
        classes(64, 50, random) {}

  Variable operator()(const Ids& ids, nn::Noise noise) const {
    const Variable read = norm(lstm(words(ids), {.noise = noise}).outputs);
    return classes(read + block(read, noise));
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("words", words);
    visitor("lstm", lstm);
    visitor("norm", norm);
    visitor("block", block);
    visitor("classes", classes);
  }
};

TEST(Allocation, ASteadyTrainingStepCallsMallocNoMore) {
  Random random(1);
  Model model(random);
  training::Optimiser optimiser(nn::parameters(model), training::Adam{});
  Ids ids(Shape{10, 16});
  for (std::int64_t i = 0; i < ids.size(); ++i)
    ids.mutable_data()[i] = static_cast<std::int32_t>(i % 50);
  const auto step = [&] {
    backward(cross_entropy(model(ids, &random), ids, {.smoothing = Real(0.1)}));
    optimiser.step({.learning_rate = 1e-3, .clip_norm = 1});
  };
  for (int warm = 0; warm < 3; ++warm) step();
  const long before = allocations;
  for (int steady = 0; steady < 5; ++steady) step();
  EXPECT_EQ(allocations - before, 0);
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  const std::vector<int> some(1000);
  EXPECT_GE(allocations - before, 1);
}

}  // namespace
}  // namespace heed

#endif
