// SPDX-License-Identifier: Apache-2.0
// Expected reads: which sequences they take, what these read, and whom they leave alone.
#include "heed/attention/expected_reads.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr MechanismShape kShape{.query_width = 4, .key_width = 4, .value_width = 3};

Attended attend(const char* text, Observer* watch, const Variable& query) {
  Random random(5), noise(7);
  const Mechanism look(text, kShape, random);
  return look.attend(query, look.memory(wavy({6, 1, 5, 4}, 1), wavy({6, 1, 5, 3}, 2)), {},
                     {.weights = true, .noise = &noise, .watch = watch});
}

TEST(ExpectedReads, ReadTheMeanForTheirShareOfSequences) {
  int all = 0;
  const ExpectedReads many(.3, 9);
  for (std::int64_t b = 0; b < 2000; ++b) all += many.chosen(b) ? 1 : 0;
  EXPECT_NEAR(all, 600, 100);
  for (const auto& [drawn, mean] :
       {std::pair{"dot | full | sample", "dot"}, std::pair{"dot | causal | sample", "dot | causal"},
        std::pair{"dot | full | sample(of=sparsemax)", "dot | full | sparsemax"}}) {
    SCOPED_TRACE(drawn);
    const Variable query = Variable::leaf(wavy({6, 1, 3, 4}));
    const Tensor soft = attend(mean, nullptr, query).weights.value();
    const Tensor hard = attend(drawn, nullptr, query).weights.value();
    ExpectedReads reads(.5, 4);
    const Tensor both = attend(drawn, &reads, query).weights.value();
    int chosen = 0;
    for (std::int64_t b = 0; b < 6; ++b) {
      chosen += reads.chosen(b) ? 1 : 0;
      expect_near(both.select(0, b), (reads.chosen(b) ? soft : hard).select(0, b), 1e-6);
    }
    EXPECT_GT(chosen, 0);
    EXPECT_LT(chosen, 6);
  }
}

TEST(ExpectedReads, GiveScoresTheGradientOfSoftAttention) {
  const Variable query = Variable::leaf(wavy({6, 1, 3, 4})),
                 other = Variable::leaf(wavy({6, 1, 3, 4}));
  ExpectedReads all(1, 4);
  backward(sum(attend("dot | full | sample", &all, query).context));
  backward(sum(attend("dot", nullptr, other).context));
  expect_near(query.gradient(), other.gradient(), 1e-5);
}

TEST(ExpectedReads, LeaveAloneWhatDoesNotDraw) {
  const Variable query = Variable::leaf(wavy({6, 1, 3, 4}));
  ExpectedReads all(1, 4);
  expect_near(attend("dot | full | sparsemax", &all, query).weights.value(),
              attend("dot | full | sparsemax", nullptr, query).weights.value(), 0);
}

}  // namespace
}  // namespace heed::attention
