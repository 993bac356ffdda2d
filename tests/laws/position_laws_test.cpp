// SPDX-License-Identifier: Apache-2.0
// Laws of positions, run over every score, bias and pattern: sequences that have come differently
// far, side by side in a padded batch, are what each is alone.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/attention/mechanism.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/patterns/own_pattern.h"
#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"
#include "padded_mechanisms.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 4, kHeads = 2, kQueries = 2, kKeys = 9, kWidth = 4;
// Keys that came before the first query; two sequences have come equally far.
const std::vector<std::int32_t> kFill{3, 3, 7, 0};

Mechanism made(const std::string& text) {
  Random random(3);
  return Mechanism(text,
                   {.query_width = kWidth,
                    .key_width = kWidth,
                    .value_width = kWidth,
                    .heads = kHeads,
                    .key_heads = kHeads},
                   random);
}

Ids fill() {
  return Ids::of({kBatch}, kFill);
}
// Each sequence holds the queries' own keys after those that came before.
Ids lengths() {
  std::vector<std::int32_t> all;
  for (const std::int32_t before : kFill) all.push_back(before + kQueries);
  return Ids::of({kBatch}, all);
}

struct Outcome {
  Tensor context;
  Tensor query, keys, values;  // gradients
};
Outcome outcome(const Mechanism& look, const Tensor& q, const Tensor& k, const Tensor& v,
                const KeyData& data, const AttendOptions& options) {
  const Variable query = Variable::leaf(q), keys = Variable::leaf(k), values = Variable::leaf(v);
  const Variable context = look.attend(query, look.memory(keys, values, data), {}, options).context;
  backward(sum(square(context)));
  const auto gradient = [](const Variable& leaf) {
    return leaf.gradient().defined() ? leaf.gradient() : Tensor::zeros(leaf.shape());
  };
  return {context.value(), gradient(query), gradient(keys), gradient(values)};
}

void expect_each_alone(const std::string& text, const AttendOptions& options) {
  SCOPED_TRACE(text + (options.fuse ? ", fused" : ", composed"));
  const Mechanism look = made(text);
  const Tensor query = wavy({kBatch, kHeads, kQueries, kWidth});
  const Tensor keys = wavy({kBatch, kHeads, kKeys, kWidth}, 1);
  const Tensor values = wavy({kBatch, kHeads, kKeys, kWidth}, 2);
  AttendOptions together = options;
  together.given.first_query = fill();
  const Outcome found = outcome(look, query, keys, values, {.lengths = lengths()}, together);
  for (std::int64_t b = 0; b < kBatch; ++b) {
    SCOPED_TRACE(b);
    const std::int32_t before = kFill[static_cast<std::size_t>(b)];
    const std::int64_t length = before + kQueries;
    const auto one = [b](const Tensor& x) { return x.slice(0, b, b + 1); };
    AttendOptions by_itself = options;
    by_itself.given.first_query = before;
    const Outcome alone = outcome(look, one(query), one(keys).slice(2, 0, length),
                                  one(values).slice(2, 0, length), {}, by_itself);
    expect_near(one(found.context), alone.context, 1e-5);
    expect_near(one(found.query), alone.query, 1e-5);
    expect_near(one(found.keys).slice(2, 0, length), alone.keys, 1e-5);
    expect_near(one(found.values).slice(2, 0, length), alone.values, 1e-5);
  }
}

class PositionLaws : public ::testing::TestWithParam<std::string> {};

TEST_P(PositionLaws, SequencesOfDifferentFillAreEachAlone) {
  expect_each_alone(GetParam(), {.fuse = false});
  expect_each_alone(GetParam(), {.fuse = true});
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PositionLaws,
                         ::testing::ValuesIn(heed::test::mechanisms_for_padding()),
                         [](const auto& info) { return test_name_of(info.param); });

TEST(PositionsOfSequences, TurnRotaryQueriesEachByItsOwn) {
  Random random(3);
  const MultiHead look({.mechanism = "scaled_dot | causal & padding",
                        .query_width = 8,
                        .heads = 2,
                        .rotary = Rotary{}},
                       random);
  const Tensor query = wavy({kBatch, kQueries, 8}), keys = wavy({kBatch, kKeys, 8}, 1);
  AttentionState state;
  state.step = 1;  // the positions given are those of step 0
  const Tensor found = look.attend(query, look.memory(keys, keys, {.lengths = lengths()}), state,
                                   {.given = {.first_query = fill()}})
                           .context.value();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const std::int32_t before = kFill[static_cast<std::size_t>(b)];
    const Tensor mine = keys.slice(0, b, b + 1).slice(1, 0, before + kQueries);
    const Tensor alone = look.attend(query.slice(0, b, b + 1), look.memory(mine, mine), state,
                                     {.given = {.first_query = before}})
                             .context.value();
    expect_near(found.slice(0, b, b + 1), alone, 1e-5);
  }
}

TEST(PositionsOfSequences, KeepTheStateTheWeightsAndTheTraceOfAll) {
  const Mechanism look = made("coverage(size=3) | causal & padding");
  const Tensor query = wavy({kBatch, kHeads, kQueries, kWidth});
  const Tensor keys = wavy({kBatch, kHeads, kKeys, kWidth}, 1);
  Trace trace;
  const Attended found =
      look.attend(query, look.memory(keys, keys, {.lengths = lengths()}), {},
                  {.given = {.first_query = fill()}, .weights = true, .watch = &trace});
  EXPECT_EQ(found.state.step, kQueries);
  EXPECT_EQ(found.state.coverage.shape(), (Shape{kBatch, kHeads, kKeys}));
  EXPECT_EQ(found.weights.shape(), (Shape{kBatch, kHeads, kQueries, kKeys}));
  ASSERT_EQ(trace.entries().size(), 1u);
  EXPECT_EQ(trace.entries()[0].weights.shape(), found.weights.shape());
  EXPECT_TRUE(is_masked(trace.entries()[0].weights.at({3, 0, 0, 1}))) << "it begins at key 0";
  EXPECT_FALSE(is_masked(trace.entries()[0].weights.at({2, 0, 0, 7})));
}

TEST(PositionsOfSequences, ShowAUsersOwnPatternAndChangeTheSequencesOfTheWholeBatch) {
  const Mechanism look = made("dot");
  const Tensor query = wavy({kBatch, kHeads, 1, kWidth});
  const Tensor keys = wavy({kBatch, kHeads, kKeys, kWidth}, 1);
  // Sequence b sees key b alone, and its score is changed where the change says b too.
  const auto mask = own_pattern([](const MaskTile& tile) {
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      for (std::int64_t c = 0; c < tile.columns; ++c) {
        tile.row(r)[c] = tile.key + c == tile.batch && tile.query + r == kFill[tile.batch];
      }
    }
  });
  for (const bool fuse : {false, true}) {
    const Tensor context =
        look.attend(query, look.memory(keys, keys), {},
                    {.given = {.first_query = fill()}, .pattern = mask, .fuse = fuse})
            .context.value();
    for (std::int64_t b = 0; b < kBatch; ++b) {
      expect_near(context.slice(0, b, b + 1), keys.slice(0, b, b + 1).slice(2, b, b + 1), 1e-6);
    }
  }
}

TEST(PositionsOfSequences, AreRefusedWhenTheyCannotBeMeant) {
  const Mechanism look = made("dot | causal");
  const Tensor x = wavy({kBatch, kHeads, kKeys, kWidth});
  const auto attend = [&](const Ids& first) {
    return message_of(
        [&] { look.attend(x, look.memory(x, x), {}, {.given = {.first_query = first}}); });
  };
  EXPECT_EQ(attend(Ids::of({2}, {0, 1})), "attend: first queries [2]; it takes [4]");
  EXPECT_EQ(attend(Ids::of({4}, {0, 1, -2, 0})),
            "attend: the first query of sequence 2 stands at -2; positions start at 0");
}

}  // namespace
}  // namespace heed::attention
