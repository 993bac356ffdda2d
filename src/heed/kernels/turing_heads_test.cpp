// SPDX-License-Identifier: Apache-2.0
// Heads of a Turing machine against their formulas written out in long double, and their gradients
// against differences of these.
#include "heed/kernels/turing_heads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

using Exact = long double;

// What the heads of one sequence take and give.
struct ExactHeads {
  std::vector<Exact> memory, before, said;
  std::vector<Exact> read, after, weights;
};

Exact exact_softplus(Exact x) {
  return std::log1p(std::exp(x));
}
Exact exact_sigmoid(Exact x) {
  return 1 / (1 + std::exp(-x));
}

std::vector<Exact> exact_softmax(const std::vector<Exact>& x) {
  std::vector<Exact> y;
  Exact sum = 0;
  for (const Exact item : x) sum += std::exp(item);
  for (const Exact item : x) y.push_back(std::exp(item) / sum);
  return y;
}

// The weights [N] of head h (Graves 2014, equations 5 to 9).
std::vector<Exact> exact_weights(const TuringHeadsShape& shape, const ExactHeads& x,
                                 std::size_t h) {
  const std::size_t n = shape.slots, width = shape.width, heads = shape.heads();
  const Exact* const key = x.said.data() + h * width;
  const Exact* const after_keys = x.said.data() + heads * width;
  const Exact strength = exact_softplus(after_keys[h]), gate = exact_sigmoid(after_keys[heads + h]);
  const Exact* const raw = after_keys + 2 * heads + h * shape.shares();
  const std::vector<Exact> shares = exact_softmax({raw, raw + shape.shares()});
  const Exact power = 1 + exact_softplus(after_keys[2 * heads + heads * shape.shares() + h]);
  std::vector<Exact> scores(n), gated(n), sharp(n);
  for (std::size_t i = 0; i < n; ++i) {
    Exact product = 0, of_key = shape.epsilon, of_slot = shape.epsilon;
    for (std::size_t m = 0; m < width; ++m) {
      const Exact slot = x.memory[i * width + m];
      product += key[m] * slot;
      of_key += key[m] * key[m];
      of_slot += slot * slot;
    }
    scores[i] = strength * product / std::sqrt(of_key * of_slot);
  }
  const std::vector<Exact> content = exact_softmax(scores);
  for (std::size_t i = 0; i < n; ++i) {
    gated[i] = gate * content[i] + (1 - gate) * x.before[h * n + i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    Exact shifted = 0;
    for (std::size_t o = 0; o < shape.shares(); ++o) {
      shifted += shares[o] * gated[(i + 2 * n + shape.range - o) % n];  // o - range places on
    }
    sharp[i] = power * std::log(shifted);
  }
  return exact_softmax(sharp);
}

void work_exactly(const TuringHeadsShape& shape, ExactHeads& x) {
  const std::size_t n = shape.slots, width = shape.width;
  const Exact* const erase = x.said.data() + shape.said() - 2 * shape.writes * width;
  const Exact* const add = erase + shape.writes * width;
  x.weights.clear();
  for (std::size_t h = 0; h < shape.heads(); ++h) {
    const std::vector<Exact> weights = exact_weights(shape, x, h);
    x.weights.insert(x.weights.end(), weights.begin(), weights.end());
  }
  x.read.assign(shape.reads * width, 0);
  x.after = x.memory;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < width; ++m) {
      Exact& slot = x.after[i * width + m];
      for (std::size_t r = 0; r < shape.reads; ++r) {
        x.read[r * width + m] += x.weights[r * n + i] * x.memory[i * width + m];
      }
      for (std::size_t w = 0; w < shape.writes; ++w) {
        slot *= 1 - x.weights[(shape.reads + w) * n + i] * exact_sigmoid(erase[w * width + m]);
      }
      for (std::size_t w = 0; w < shape.writes; ++w) {
        slot += x.weights[(shape.reads + w) * n + i] * add[w * width + m];
      }
    }
  }
}

// What a training step reads and writes, with gradients from above for all three outputs.
template <typename T>
struct HeadsRun {
  HeadsRun(const TuringHeadsShape& shape, std::size_t batch, std::size_t offset = 0)
      : shape(shape),
        batch(batch),
        memory(batch * shape.slots * shape.width, offset),
        before(batch * shape.heads() * shape.slots, offset),
        said(batch * shape.said(), offset),
        read(batch * shape.reads * shape.width, offset),
        after(memory.size(), offset),
        weights(before.size(), offset),
        kept(batch * shape.kept(), offset),
        above_read(read.size(), offset),
        above_after(after.size(), offset),
        above_weights(weights.size(), offset),
        d_memory(memory.size(), offset),
        d_before(before.size(), offset),
        d_said(said.size(), offset) {
    fill_uniform(memory.data(), memory.size(), -1, 1, 2);
    fill_uniform(before.data(), before.size(), 0.1, 1, 3);
    fill_uniform(said.data(), said.size(), -2, 2, 4);
    for (std::size_t row = 0; row < batch * shape.heads(); ++row) {
      T sum = 0;
      for (std::size_t i = 0; i < shape.slots; ++i) sum += before[row * shape.slots + i];
      for (std::size_t i = 0; i < shape.slots; ++i) before[row * shape.slots + i] /= sum;
    }
    fill_uniform(above_read.data(), above_read.size(), -1, 1, 5);
    fill_uniform(above_after.data(), above_after.size(), -1, 1, 6);
    fill_uniform(above_weights.data(), above_weights.size(), -1, 1, 7);
  }

  void run(const TuringHeadsGradient<T>& above) {
    const TuringHeadsInput<T> in{memory.data(), before.data(), said.data()};
    ASSERT_TRUE(turing_heads<T>(shape, batch, in,
                                {read.data(), after.data(), weights.data(), kept.data()}));
    ASSERT_TRUE(turing_heads_backward<T>(shape, batch, in, weights.data(), kept.data(), above,
                                         {d_memory.data(), d_before.data(), d_said.data()}));
  }
  void run() { run({above_read.data(), above_after.data(), above_weights.data()}); }

  // Sequence b.
  ExactHeads exactly(std::size_t b) {
    const auto part = [&](GuardedBuffer<T>& all) {
      const std::size_t each = all.size() / batch;
      return std::vector<Exact>(all.data() + b * each, all.data() + (b + 1) * each);
    };
    ExactHeads x{part(memory), part(before), part(said), {}, {}, {}};
    work_exactly(shape, x);
    return x;
  }
  // What the gradients from above make of the outputs.
  Exact loss(std::size_t b, const ExactHeads& x) {
    Exact sum = 0;
    const auto add = [&](const std::vector<Exact>& y, GuardedBuffer<T>& dy) {
      for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[b * y.size() + i];
    };
    add(x.read, above_read);
    add(x.after, above_after);
    add(x.weights, above_weights);
    return sum;
  }

  TuringHeadsShape shape;
  std::size_t batch;
  GuardedBuffer<T> memory, before, said, read, after, weights, kept, above_read, above_after,
      above_weights, d_memory, d_before, d_said;
};

template <typename T>
constexpr double kHeadsTolerance = std::is_same_v<T, float> ? 2e-4 : 1e-11;

template <typename T>
void expect_exact_outputs(HeadsRun<T>& run) {
  for (std::size_t b = 0; b < run.batch; ++b) {
    const ExactHeads x = run.exactly(b);
    const auto expect = [&](GuardedBuffer<T>& found, const std::vector<Exact>& exact,
                            const char* what) {
      for (std::size_t i = 0; i < exact.size(); ++i) {
        ASSERT_NEAR(found[b * exact.size() + i], static_cast<double>(exact[i]), kHeadsTolerance<T>)
            << what << " " << i << " of sequence " << b;
      }
    };
    expect(run.weights, x.weights, "weight");
    expect(run.read, x.read, "read");
    expect(run.after, x.after, "slot");
  }
}

template <typename T>
void expect_exact_gradients(HeadsRun<T>& run) {
  for (std::size_t b = 0; b < run.batch; ++b) {
    ExactHeads x = run.exactly(b);
    const auto expect = [&](std::vector<Exact>& input, GuardedBuffer<T>& found, const char* what) {
      for (std::size_t i = 0; i < input.size(); ++i) {
        constexpr Exact kStep = 1e-6L;
        const Exact old = input[i];
        Exact difference = 0;
        for (const int sign : {1, -1}) {
          input[i] = old + sign * kStep;
          work_exactly(run.shape, x);
          difference += sign * run.loss(b, x);
        }
        input[i] = old;
        const auto slope = static_cast<double>(difference / (2 * kStep));
        ASSERT_NEAR(found[b * input.size() + i], slope,
                    5 * std::max(kHeadsTolerance<T>, 1e-9) * (1 + std::abs(slope)))
            << "gradient of " << what << " " << i << " of sequence " << b;
      }
    };
    expect(x.memory, run.d_memory, "slot");
    expect(x.before, run.d_before, "weight before");
    expect(x.said, run.d_said, "word");
  }
}

template <typename T>
class TuringHeads : public testing::Test {};
using HeadScalars = testing::Types<float, double>;
TYPED_TEST_SUITE(TuringHeads, HeadScalars);

TYPED_TEST(TuringHeads, EqualTheirFormulasAndTheirDifferencesAtSmallSizes) {
  on_every_target([] {
    for (const auto& [reads, writes] :
         {std::pair<std::size_t, std::size_t>{1, 1}, {2, 0}, {0, 2}, {2, 3}}) {
      for (const std::size_t slots : {1, 2, 5, 17}) {
        for (const std::size_t width : {1, 3, 8, 19}) {
          for (const std::size_t range : {0, 1, 2}) {
            if (range > slots) continue;
            SCOPED_TRACE(testing::Message() << reads << " reads, " << writes << " writes, " << slots
                                            << " slots of " << width << ", range " << range);
            HeadsRun<TypeParam> run({slots, width, reads, writes, range, 1e-6}, 1,
                                    (slots + width) % 4);
            ASSERT_NO_FATAL_FAILURE(run.run());
            ASSERT_NO_FATAL_FAILURE(expect_exact_outputs(run));
            if (slots * width > 40) continue;  // differences of many numbers take long
            ASSERT_NO_FATAL_FAILURE(expect_exact_gradients(run));
          }
        }
      }
    }
  });
}

TYPED_TEST(TuringHeads, EqualTheirFormulasOnManySequencesWhateverTheThreadCount) {
  HeadsRun<TypeParam> one({128, 20, 1, 1, 1, 1e-6}, 9), two({128, 20, 1, 1, 1, 1e-6}, 9);
  {
    ThreadScope scope(1);
    ASSERT_NO_FATAL_FAILURE(one.run());
  }
  {
    ThreadScope scope(2);
    ASSERT_NO_FATAL_FAILURE(two.run());
  }
  ASSERT_NO_FATAL_FAILURE(expect_exact_outputs(two));
  EXPECT_EQ(std::memcmp(one.after.data(), two.after.data(), one.after.size() * sizeof(TypeParam)),
            0);
  EXPECT_EQ(
      std::memcmp(one.d_said.data(), two.d_said.data(), one.d_said.size() * sizeof(TypeParam)), 0);
}

TYPED_TEST(TuringHeads, TakeAGradientThatIsMissingForZero) {
  on_every_target([] {
    HeadsRun<TypeParam> with({7, 5, 2, 2, 1, 1e-6}, 2), without({7, 5, 2, 2, 1, 1e-6}, 2);
    for (GuardedBuffer<TypeParam>* const dy :
         {&with.above_read, &with.above_after, &with.above_weights}) {
      std::vector<TypeParam> kept(dy->data(), dy->data() + dy->size());
      std::fill_n(dy->data(), dy->size(), TypeParam{0});
      const auto given = [&](HeadsRun<TypeParam>& run, bool all) -> TuringHeadsGradient<TypeParam> {
        return {dy == &with.above_read && !all ? nullptr : run.above_read.data(),
                dy == &with.above_after && !all ? nullptr : run.above_after.data(),
                dy == &with.above_weights && !all ? nullptr : run.above_weights.data()};
      };
      ASSERT_NO_FATAL_FAILURE(with.run(given(with, true)));
      ASSERT_NO_FATAL_FAILURE(without.run(given(without, false)));
      for (std::size_t i = 0; i < with.d_said.size(); ++i) {
        ASSERT_NEAR(with.d_said[i], without.d_said[i], kHeadsTolerance<TypeParam>) << i;
      }
      for (std::size_t i = 0; i < with.d_memory.size(); ++i) {
        ASSERT_NEAR(with.d_memory[i], without.d_memory[i], kHeadsTolerance<TypeParam>) << i;
      }
      std::copy(kept.begin(), kept.end(), dy->data());
    }
  });
}

// In float 1e-9 to the eighth power is 0, and a sum of such weights nothing to divide by.
TYPED_TEST(TuringHeads, SharpenWeightsThatAreNearlyZero) {
  on_every_target([] {
    HeadsRun<TypeParam> run({6, 4, 1, 0, 0, 1e-6}, 1);
    std::fill_n(run.before.data(), 6, TypeParam{0});
    run.before[2] = TypeParam(2e-9);
    run.before[4] = TypeParam(1e-9);
    run.said[4 + 1] = -40;  // the gate: stay
    run.said[4 + 3] = 60;   // the power, 61
    ASSERT_NO_FATAL_FAILURE(run.run());
    EXPECT_NEAR(run.weights[2], 1, 1e-6);
    for (std::size_t i = 0; i < run.d_said.size(); ++i) EXPECT_TRUE(std::isfinite(run.d_said[i]));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(std::isfinite(run.d_before[i]));
  });
}

}  // namespace
}  // namespace heed::kernels
