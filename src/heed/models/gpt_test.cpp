// SPDX-License-Identifier: Apache-2.0
#include "heed/models/gpt.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/models/language_testing.h"

namespace heed::models {
namespace {

GptOptions small_gpt(Positions positions) {
  GptOptions options{.vocabulary = 9, .context = 12};
  options.stack.width = 16;
  options.stack.heads = 2;
  options.stack.inner = 24;
  options.stack.layers = 2;
  options.stack.positions = positions;
  options.stack.dropout = 0;
  return options;
}

TEST(Gpt, GivesTheSameLogitsInBatchesPartsAndSteps) {
  for (const Positions positions : {Positions::learned, Positions::rotary, Positions::relative}) {
    Random random(1);
    const Gpt model(small_gpt(positions), random);
    testing::expect_reads_agree(model, 11);
    testing::expect_no_look_ahead(model, 9);
  }
}

TEST(Gpt, TakesAnyMechanism) {
  GptOptions options = small_gpt(Positions::none);
  options.stack.attention = "scaled_dot + alibi | window(left=3, right=0) | entmax(alpha=1.5)";
  options.tie = Tie::none;
  Random random(2);
  testing::expect_reads_agree(Gpt(options, random), 12);
}

TEST(Gpt, ReadsInStepsWithSumsInsteadOfItsPast) {
  GptOptions options = small_gpt(Positions::rotary);
  options.stack.attention = "linear";
  Random random(2);
  const Gpt model(options, random);
  testing::expect_reads_agree(model, 12);
  testing::expect_no_look_ahead(model, 9);
}

TEST(Gpt, RefusesMoreThanItsContext) {
  Random random(3);
  const Gpt model(small_gpt(Positions::rotary), random);
  const NoGradient no_graph;
  const DecoderState full =
      model.read(model.start(1), testing::random_tokens({1, 12}, 9, random), {}).state;
  try {
    model.step(full, Ids::of({1}, {4}), {});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("13 tokens; its context has room for 12"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heed::models
