// SPDX-License-Identifier: Apache-2.0
// Memory networks in double: known answers, equations, and finite differences in every parameter.
#include <gtest/gtest.h>

#include "heed/models/memory_network.h"
#include "heed/models/memory_network_testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

TEST(MemoryNetworkInDouble, GivesTheKnownAnswer) {
  testing::expect_known_answer(1e-9);
}

TEST(MemoryNetworkInDouble, EqualsItsEquationsWrittenOut) {
  testing::expect_equations(1e-12);
}

TEST(MemoryNetworkGradients, AreSlopesOfTheLoss) {
  std::vector<MemoryNetworkOptions> all(5, testing::small_memory_network());
  all[1].tying = Tying::layer_wise;
  all[2].key_value = true;
  all[3].attention = "bilinear | full | entmax(alpha=1.5)";
  all[3].hops = 3;
  all[4].rectified = true;
  for (const MemoryNetworkOptions& options : all) {
    for (const bool linear : {false, true}) {
      Random random(7);
      MemoryNetwork model(options, random);
      const StoryBatch batch = testing::small_stories();
      testing::expect_slopes(
          nn::parameters(model),
          [&] {
            const StoryAnswers answers = model(batch, {}, {.linear = linear, .scores = true});
            return cross_entropy(answers.logits, Ids::of({3}, {4, 5, 6})) +
                   cross_entropy(answers.scores[1], Ids::of({3}, {1, 0, 2}));
          },
          3);
    }
  }
}

}  // namespace
}  // namespace heed::models
