// SPDX-License-Identifier: Apache-2.0
// Memory networks: known answers, empty slots, tyings, key-value memories, hops that are watched.
#include "heed/models/memory_network.h"

#include <gtest/gtest.h>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/models/memory_network_testing.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

using testing::memory_golden;
using testing::small_memory_network;
using testing::small_stories;

TEST(MemoryNetwork, GivesTheKnownAnswer) {
  testing::expect_known_answer(1e-5);
}

TEST(MemoryNetwork, EqualsItsEquationsWrittenOut) {
  testing::expect_equations(1e-5);
}

TEST(MemoryNetwork, WeighsThePlacesOfWordsAsPublished) {
  for (const auto& [places, name] : {std::pair(WordPlaces::paper, "pe_paper_J4_d3"),
                                     std::pair(WordPlaces::scaled, "pe_code_J4_d3")}) {
    const Tensor weights = word_place_weights(places, 4, 3);
    const std::vector<Real> known = testing::flat(memory_golden()[name]);
    for (std::size_t i = 0; i < known.size(); ++i) {
      EXPECT_NEAR(weights.values()[i], known[i], 1e-6) << name;
    }
  }
}

TEST(MemoryNetwork, GivesEmptySlotsAWeightAndNothingToRead) {
  Random random(2);
  const MemoryNetwork model(small_memory_network(), random);
  attention::Trace trace;
  const StoryAnswers answers = model(small_stories(), {.watch = &trace}, {.scores = true});
  const Tensor& weights = trace.entries()[0].weights;
  // Scores of 0: the two empty slots of the first story weigh the same, those of the third all.
  EXPECT_EQ(answers.scores[0].value().at({0, 2}), 0);
  EXPECT_GT(weights.at({0, 0, 0, 2}), 0);
  EXPECT_EQ(weights.at({0, 0, 0, 2}), weights.at({0, 0, 0, 3}));
  EXPECT_NEAR(weights.at({2, 0, 0, 0}), .25, 1e-6);
  const Tensor logits = answers.logits.value();
  EXPECT_EQ(logits.shape(), Shape({3, 9}));
  EXPECT_EQ(logits.at({2, 0}), 0);  // the null word
}

TEST(MemoryNetwork, HidesEmptySlotsWhereThePatternIsPadding) {
  Random random(2);
  MemoryNetworkOptions options = small_memory_network();
  options.attention = "dot | padding | softmax";
  const MemoryNetwork model(options, random);
  attention::Trace trace;
  model(small_stories(), {.watch = &trace});
  EXPECT_TRUE(attention::is_masked(trace.entries()[0].weights.at({0, 0, 0, 2})));
  EXPECT_NEAR(
      trace.entries()[0].weights.at({0, 0, 0, 0}) + trace.entries()[0].weights.at({0, 0, 0, 1}), 1,
      1e-6);
}

TEST(MemoryNetwork, HasOneSetOfParametersWithAndWithoutItsNormaliser) {
  Random random(4);
  MemoryNetworkOptions options = small_memory_network();
  options.attention = "bilinear | full | softmax";
  MemoryNetwork model(options, random);
  const Tensor before = model(small_stories(), {}, {.linear = true}).logits.value().clone();
  for (nn::Parameter& parameter : nn::parameters(model)) {
    if (parameter.name.find("attention") == std::string::npos) continue;
    Tensor& values = parameter.variable.mutable_value();
    for (std::int64_t i = 0; i < values.size(); ++i) values.mutable_data()[i] += 1;
  }
  EXPECT_GT(testing::largest_difference(
                before, model(small_stories(), {}, {.linear = true}).logits.value()),
            1e-3);
}

TEST(MemoryNetwork, LeavesTheNullWordAlone) {
  Random random(5);
  MemoryNetwork model(small_memory_network(), random);
  backward(cross_entropy(model(small_stories()).logits, Ids::of({3}, {4, 5, 6})));
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    for (std::int64_t d = 0; d < 4; ++d) {
      EXPECT_EQ(parameter.variable.gradient().at({0, d}), 0) << parameter.name;
    }
  }
}

TEST(MemoryNetwork, RefusesWhatDoesNotFit) {
  Random random(6);
  MemoryNetworkOptions options = small_memory_network();
  options.attention = "linear | full";
  const MemoryNetwork whole(options, random);
  EXPECT_NO_THROW(whole(small_stories()));
  EXPECT_EQ(test::message_of<UsageError>([&] { whole(small_stories(), {}, {.linear = true}); }),
            "memory network: linear has no normaliser to leave out for a linear start");
  const MemoryNetwork model(small_memory_network(), random);
  StoryBatch batch = small_stories();
  batch.ages = Ids::of({3}, {1, 1, 1});
  EXPECT_EQ(test::message_of<UsageError>([&] { model(batch); }),
            "memory network: the ages are [3]; it takes [3,4]");
}

}  // namespace
}  // namespace heed::models
