// SPDX-License-Identifier: Apache-2.0
// What every associative memory keeps, from all states of a small one; and what it refuses.
#include "heed/models/associative_memory.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/associative_random.h"
#include "heed/models/associative_testing.h"

namespace heed::models {
namespace {

using testing::kClassical;
using testing::kThree;

// All 2^10 states: no step raises the energy, where it settles no unit can lower it by turning.
TEST(AssociativeMemory, NeverRaisesTheEnergyFromAnyStateOfASmallOne) {
  Random random(2);
  const auto patterns = random_patterns(3, 10, random);
  for (const AssociativeOptions& options :
       {kClassical, AssociativeOptions{.rule = MemoryRule::dense, .power = 3},
        AssociativeOptions{.rule = MemoryRule::dense, .power = 4}, AssociativeOptions{.beta = .3},
        AssociativeOptions{.beta = 2}}) {
    const auto memory = make_associative_memory(patterns, options);
    for (unsigned bits = 0; bits < 1024; ++bits) {
      MemoryPattern state;
      for (unsigned u = 0; u < 10; ++u) state.push_back((bits >> u & 1) != 0 ? 1 : -1);
      const Recollection found = recall(*memory, state, {.most_steps = 1000});
      ASSERT_TRUE(found.settled);
      for (std::size_t i = 1; i < found.steps.size(); ++i) {
        ASSERT_LE(found.steps[i].energy, found.steps[i - 1].energy + 1e-12);
      }
      if (options.rule == MemoryRule::modern) continue;
      MemoryPattern last = found.steps.back().state;
      for (double& unit : last) {
        unit = -unit;
        ASSERT_GE(memory->energy(last), found.steps.back().energy - 1e-12);
        unit = -unit;
      }
    }
  }
}

TEST(AssociativeMemory, GivesWeightsWhoseMagnitudesAddUpToOne) {
  for (const MemoryRule rule : {MemoryRule::classical, MemoryRule::dense, MemoryRule::modern}) {
    const auto memory = make_associative_memory(kThree, {.rule = rule});
    double sum = 0;
    for (const double weight : memory->weights(kThree[0])) sum += std::abs(weight);
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(AssociativeMemory, SaysWhatItCannotStoreOrComplete) {
  const auto refused = [](std::vector<MemoryPattern> patterns, const AssociativeOptions& options) {
    return test::message_of<UsageError>(
        [&] { make_associative_memory(std::move(patterns), options); });
  };
  EXPECT_EQ(refused({}, {}), "associative memory: there is no pattern to store; give one or more");
  EXPECT_EQ(refused({{1, 1}, {1}}, {}),
            "associative memory: pattern 2 has 1 units, the first 2; all take the same number");
  EXPECT_EQ(refused({{1, .5}}, kClassical),
            "associative memory: pattern 1 has units other than -1 and 1, which only a modern one "
            "stores; take the signs");
  EXPECT_EQ(refused({{NAN}}, {}), "associative memory: pattern 1 has a number that is not finite");
  EXPECT_EQ(refused({{1}}, {.beta = 0}), "associative memory: beta 0; it takes a number above 0");
  EXPECT_EQ(refused({{1}}, {.power = 1}), "associative memory: power 1; it takes 2 to 100");
  EXPECT_EQ(refused({MemoryPattern(5000, 1)}, kClassical),
            "associative memory: 5000 units, and a classical one couples each with each; it takes "
            "4096 at most, modern and dense ones any number");
  const auto memory = make_associative_memory(kThree);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              recall(*memory, {1, 1});
            }),
            "recall: a query of 2 units for patterns of 4; their sizes must be equal");
}

}  // namespace
}  // namespace heed::models
