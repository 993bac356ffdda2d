// SPDX-License-Identifier: Apache-2.0
// Monotonic attention: worked numbers, all scans of a small table, hard steps, noise.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/attention.h"
#include "heed/attention/whole/monotonic_alignment.h"
#include "heed/attention/whole/monotonic_testing.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

using monotonic_testing::kChances;
using monotonic_testing::kExact;
using monotonic_testing::kSeesAll;
using monotonic_testing::rows_of_three;
using monotonic_testing::worked_energies;

TEST(Monotonic, HasTheWorkedWeightsAndGradients) {
  const Variable e = Variable::leaf(worked_energies());
  const Variable alpha = weighed_of(monotonic_alignment(e, {}, kSeesAll)).weights;
  expect_near(alpha.value(),
              rows_of_three({.1, .54, .108, .0504, .1008,        //
                             .02, .062, .4662, .10008, .075276,  //
                             .01, .0216, .10332, .308016, .112248}),
              kExact);
  backward(sum(alpha * Variable(rows_of_three({.3, -.2, .5, .1, .4,   //
                                               -.1, .6, .2, -.3, .2,  //
                                               .4, .1, -.5, .3, .6}))));
  const std::vector<double> d_p{.351392,   -.2735856, .1795392,  -.0242928, .1072512,
                                -.0135072, .2908544,  .1672992,  -.0390312, .1104048,
                                .0057088,  -.0014976, -.4008816, .0308016,  .168372};
  std::vector<double> d_e;
  for (std::size_t i = 0; i < d_p.size(); ++i) {
    d_e.push_back(d_p[i] * kChances[i] * (1 - kChances[i]));
  }
  expect_near(e.gradient(), rows_of_three(d_e), kExact);
}

// Every scan of three queries over five keys: where each stops, or that it ran off the end.
TEST(Monotonic, IsTheSumOverAllScans) {
  const auto p = [](std::size_t i, std::size_t j) { return kChances[i * 5 + j]; };
  std::vector<double> sums(15, 0);
  const auto chance_of = [&](std::size_t i, std::size_t from, std::size_t to) {
    double chance = p(i, to);
    for (std::size_t j = from; j < to; ++j) chance *= 1 - p(i, j);
    return chance;
  };
  for (std::size_t a = 0; a < 5; ++a) {
    const double first = chance_of(0, 0, a);
    sums[a] += first;
    for (std::size_t b = a; b < 5; ++b) {
      const double second = first * chance_of(1, a, b);
      sums[5 + b] += second;
      for (std::size_t c = b; c < 5; ++c) sums[10 + c] += second * chance_of(2, b, c);
    }
  }
  expect_near(weighed_of(monotonic_alignment(worked_energies(), {}, kSeesAll)).weights.value(),
              rows_of_three(sums), kExact);
}

TEST(Monotonic, LosesNoMassOverLongInputs) {
  for (const auto& [keys, p] : {std::pair{50, .9}, std::pair{100, .5}}) {
    const Tensor e = Tensor::full({1, 1, 1, keys}, static_cast<Real>(std::log(p / (1 - p))));
    const Tensor alpha = monotonic_alignment(e, {}, {keys}).value().slice(2, 0, 1);
    EXPECT_NEAR(sum(alpha, 3).values()[0], 1, 1e-6);
  }
}

TEST(Monotonic, GoesOnWithTheNextCallAsInOne) {
  Random random(1);
  for (const char* written :
       {"monotonic(size=5, offset=0)", "monotonic(size=5, offset=0.1, hard=true)",
        "mocha(size=5, offset=0, chunk=3)"}) {
    const auto look =
        make_attention(written, {.query_width = 4, .key_width = 3, .value_width = 2}, random);
    const Tensor query = wavy({2, 1, 6, 4});
    const Memory memory = look->memory(wavy({2, 1, 7, 3}, 1), wavy({2, 1, 7, 2}, 2));
    const Attended at_once = look->attend(query, memory, {}, {.weights = true});
    AttentionState state;
    for (std::int64_t i = 0; i < 6; ++i) {
      const Attended step =
          look->attend(query.slice(2, i, i + 1), memory, state, {.weights = true});
      expect_near(step.weights.value(), at_once.weights.value().slice(2, i, i + 1), 1e-6);
      state = step.state;
    }
    expect_near(state.hidden.at(0).value(), at_once.state.hidden.at(0).value(), 1e-6);
  }
}

// e > 0 stops: query 1 at key 1, query 2 goes on to key 3, query 3 finds none and stays there.
TEST(Monotonic, StopsForCertainAtTheFirstChanceAboveOneHalf) {
  const Tensor e = rows_of_three({-1, 1, 1, -1, -1,  //
                                  1, -1, -1, 2, -1,  //
                                  1, 1, 1, -1, -1});
  const Tensor found = hard_alignment(e, {}, kSeesAll).value();
  expect_near(found, Tensor::of({1, 1, 4, 5}, {0, 1, 0, 0, 0,  //
                                               0, 0, 0, 1, 0,  //
                                               0, 0, 0, 0, 0,  //
                                               0, 0, 0, 1, 0}),
              0);
}

TEST(Monotonic, DrawsNoiseInTrainingOnlyAndThenIsSoft) {
  Random random(1);
  const auto look = make_attention("monotonic(size=5, offset=0.1, hard=true)",
                                   {.query_width = 4, .key_width = 4, .value_width = 2}, random);
  const Tensor query = wavy({1, 1, 3, 4});
  const Memory memory = look->memory(wavy({1, 1, 5, 4}, 1), wavy({1, 1, 5, 2}, 2));
  const auto weights = [&](Random* noise) {
    return look->attend(query, memory, {}, {.weights = true, .noise = noise}).weights.value();
  };
  for (const Real weight : weights(nullptr).values()) EXPECT_TRUE(weight == 0 || weight == 1);
  Random one(7), same(7), other(8);
  const Tensor soft = weights(&one);
  expect_near(soft, weights(&same), 0);
  EXPECT_NE(soft.values(), weights(&other).values());
  EXPECT_GT(soft.values()[1], 0);
  EXPECT_LT(soft.values()[1], 1);
}

}  // namespace
}  // namespace heed::attention
