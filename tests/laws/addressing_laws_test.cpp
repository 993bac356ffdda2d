// SPDX-License-Identifier: Apache-2.0
// The laws of addressing, run over the whole catalogue: a distribution stays one, hidden keys stay
// hidden as if they were not there, a batch is each sequence alone, and slots have no names: what
// is rolled goes on rolled.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/addressing.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/settings_testing.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"
#include "part_folder.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 2, kHeads = 2, kKeys = 6, kWidth = 4;

Tensor rolled(const Tensor& x, std::int64_t by) {
  const std::int64_t keys = x.size(-1);
  return concat(std::vector<Tensor>{x.slice(x.rank() - 1, keys - by, keys),
                                    x.slice(x.rank() - 1, 0, keys - by)},
                x.rank() - 1);
}

class AddressingLaws : public ::testing::TestWithParam<std::string> {
 protected:
  AddressingLaws() : part(made_part<Addressing>(GetParam())) {
    Random random(5);
    part->build({.query_width = kWidth, .heads = kHeads}, random);
    state.previous = softmax(Variable(wavy({kBatch, kHeads, kKeys}, 1)));
  }
  Tensor run(const Tensor& given, std::shared_ptr<const BoundPattern> pattern = nullptr) const {
    return part->address(given, {.query = query, .state = state, .pattern = std::move(pattern)})
        .value();
  }

  std::unique_ptr<Addressing> part;
  AttentionState state;
  Variable query = wavy({kBatch, kHeads, 1, kWidth});
  Tensor weights = softmax(Variable(wavy({kBatch, kHeads, 1, kKeys}, 2))).value();
};

TEST_P(AddressingLaws, KeepsADistribution) {
  const Tensor found = run(weights);
  for (const Real total : sum(found, 3).values()) EXPECT_NEAR(total, 1, 1e-5);
  for (const Real weight : found.values()) EXPECT_GE(weight, 0);
}

TEST_P(AddressingLaws, ChangesSomething) {
  EXPECT_NE(run(weights).values(), weights.values());
}

TEST_P(AddressingLaws, TreatsHiddenKeysAsIfTheyWereNotThere) {
  constexpr std::int64_t kSeen = 4;
  const std::vector<std::int32_t> lengths(kBatch, kSeen);
  const std::shared_ptr<const BoundPattern> pattern = pattern_of("padding")->bind(
      {.batch = kBatch, .heads = kHeads, .queries = 1, .keys = kKeys, .lengths = lengths});
  const Tensor some = softmax(Variable(weights.slice(3, 0, kSeen))).value();
  const AttentionState all = state;
  state.previous = softmax(Variable(all.previous.value().slice(2, 0, kSeen)));
  const Tensor alone = run(some);
  state.previous = Variable(concat(
      std::vector<Tensor>{state.previous.value(), Tensor::zeros({kBatch, kHeads, kKeys - kSeen})},
      2));
  const Tensor padded =
      run(concat(std::vector<Tensor>{some, Tensor::zeros({kBatch, kHeads, 1, kKeys - kSeen})}, 3),
          pattern);
  expect_near(padded.slice(3, 0, kSeen), alone, 1e-6);
  expect_near(padded.slice(3, kSeen, kKeys), Tensor::zeros({kBatch, kHeads, 1, kKeys - kSeen}), 0);
}

TEST_P(AddressingLaws, GivesEachSequenceOfABatchWhatItGivesItAlone) {
  const Tensor together = run(weights);
  const Variable queries = query;
  const AttentionState all = state;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    query = slice(queries, 0, b, b + 1);
    state.previous = slice(all.previous, 0, b, b + 1);
    expect_near(run(weights.slice(0, b, b + 1)), together.slice(0, b, b + 1), 1e-6);
  }
}

TEST_P(AddressingLaws, GoesOnRolledFromWhatIsRolled) {
  const Tensor here = run(weights);
  state.previous = Variable(rolled(state.previous.value(), 2));
  expect_near(run(rolled(weights, 2)), rolled(here, 2), 1e-6);
}

TEST_P(AddressingLaws, LooksBackOnlyWhereItSaysSo) {
  const Tensor here = run(weights);
  state.previous = softmax(Variable(wavy({kBatch, kHeads, kKeys}, 7)));
  EXPECT_EQ(part->looks_back(), run(weights).values() != here.values());
}

TEST_P(AddressingLaws, CanBeBuiltAgainFromItsWrittenForm) {
  EXPECT_EQ(part->written(), GetParam());
  EXPECT_EQ(part->clone()->written(), part->written());
}

// In a mechanism: all queries at once are one after the other, state in hand.
TEST_P(AddressingLaws, GoesOnFromStepToStep) {
  Random random(3);
  const Mechanism look("scaled_dot | full | softmax | " + GetParam() + " | " + GetParam(),
                       {.query_width = kWidth,
                        .key_width = kWidth,
                        .value_width = kWidth,
                        .heads = kHeads,
                        .key_heads = kHeads},
                       random);
  const Variable queries = wavy({kBatch, kHeads, 3, kWidth}, 3);
  const Memory memory = look.memory(wavy({kBatch, kHeads, kKeys, kWidth}, 4),
                                    wavy({kBatch, kHeads, kKeys, kWidth}, 5));
  const Attended all = look.attend(queries, memory, {}, {.weights = true});
  AttentionState now;
  for (std::int64_t q = 0; q < 3; ++q) {
    const Attended one = look.attend(slice(queries, 2, q, q + 1), memory, now, {.weights = true});
    expect_near(one.weights.value(), all.weights.value().slice(2, q, q + 1), 1e-6);
    expect_near(one.context.value(), all.context.value().slice(2, q, q + 1), 1e-5);
    now = one.state;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, AddressingLaws,
                         ::testing::ValuesIn(every_setting<Addressing>()),
                         [](const auto& info) { return test_name_of(info.param); });

TEST(AddressingCatalogue, IsTheFolder) {
  std::set<std::string> listed;
  for (const auto& entry : Catalogue<Addressing>::entries()) listed.insert(entry.card.name);
  EXPECT_FALSE(listed.empty());
  EXPECT_EQ(heed::test::parts_in("src/heed/attention/addressing"), listed);
}

// A focus that is neither moved nor sharpened is plain attention by content; one that ignores the
// content and moves by one rotates; two shifts are one shift by both.
TEST(Addressing, HasTheLimitsOfItsPaper) {
  Random random(3);
  const MechanismShape shape{.query_width = 4, .key_width = 4, .value_width = 4};
  const Mechanism plain("cosine(strength=3)", shape, random);
  const Mechanism still(
      "cosine(strength=3) | full | softmax | interpolate(gate=1) | shift(shares=[0, 1, 0]) | "
      "sharpen(power=1)",
      shape, random);
  const Mechanism rotating(
      "cosine(strength=3) | full | softmax | interpolate(gate=0) | shift(shares=[0, 0, 1]) | "
      "sharpen(power=1)",
      shape, random);
  const Mechanism twice(
      "cosine | full | softmax | shift(shares=[0.1, 0.6, 0.3]) | shift(shares=[0.5, 0.5, 0])",
      shape, random);
  const Mechanism once("cosine | full | softmax | shift(shares=[0.05, 0.35, 0.45, 0.15, 0])", shape,
                       random);
  const Variable query = wavy({1, 1, 1, 4});
  const Variable keys = wavy({1, 1, 6, 4}, 1);
  AttentionState state;
  state.previous = softmax(Variable(wavy({1, 1, 6}, 2)));
  const auto weights = [&](const Mechanism& look) {
    return look.attend(query, look.memory(keys, keys), state, {.weights = true}).weights.value();
  };
  expect_near(weights(still), weights(plain), 1e-6);
  expect_near(weights(rotating), rolled(state.previous.value(), 1).reshape({1, 1, 1, 6}), 1e-6);
  expect_near(weights(twice), weights(once), 1e-6);
}

}  // namespace
}  // namespace heed::attention
