// SPDX-License-Identifier: Apache-2.0
// Laws of memories that grow while their sequences have different lengths, run over every score,
// bias, pattern and whole mechanism: each sequence is what it is alone.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/whole.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"
#include "padded_mechanisms.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 4, kHeads = 2, kPlaces = 6, kMore = 3, kWidth = 4;
// Keys of each sequence at first: the first of the new ones fits into the places there are.
const std::vector<std::int32_t> kFilled{3, 3, 5, 0};

Ids filled(std::int32_t more = 0) {
  std::vector<std::int32_t> all;
  for (const std::int32_t length : kFilled) all.push_back(length + more);
  return Ids::of({kBatch}, all);
}
std::int64_t filled_at(std::int64_t b) {
  return kFilled[static_cast<std::size_t>(b)];
}

std::unique_ptr<Attention> made(const std::string& text) {
  Random random(3);
  return make_attention(text,
                        {.query_width = kWidth,
                         .key_width = kWidth,
                         .value_width = kWidth,
                         .heads = kHeads,
                         .key_heads = kHeads},
                        random);
}

// Keys and values at first and those that come later.
struct Sequences {
  Variable keys = wavy({kBatch, kHeads, kPlaces, kWidth}, 1);
  Variable values = wavy({kBatch, kHeads, kPlaces, kWidth}, 2);
  Variable more_keys = wavy({kBatch, kHeads, kMore, kWidth}, 3);
  Variable more_values = wavy({kBatch, kHeads, kMore, kWidth}, 4);
  Tensor query = wavy({kBatch, kHeads, kMore, kWidth});

  // One of them, without padding.
  Sequences alone(std::int64_t b) const {
    const auto one = [b](const Variable& x) { return slice(x, 0, b, b + 1); };
    return {.keys = slice(one(keys), 2, 0, filled_at(b)),
            .values = slice(one(values), 2, 0, filled_at(b)),
            .more_keys = one(more_keys),
            .more_values = one(more_values),
            .query = query.slice(0, b, b + 1)};
  }
  Memory grown(const Attention& look, const Memory& memory, std::int64_t begin,
               std::int64_t end) const {
    return look.grown(memory, slice(more_keys, 2, begin, end), slice(more_values, 2, begin, end));
  }
};

class GrowingLaws : public ::testing::TestWithParam<std::string> {};

// As a decoder goes: a key, its query, the next key, with the state going along.
TEST_P(GrowingLaws, StepsOfAPaddedCacheAreThoseOfEachSequenceAlone) {
  const NoGradient values_only;
  const auto look = made(GetParam());
  const Sequences all;
  const auto steps = [&](const Sequences& of, const KeyData& data, const QueryPosition& first,
                         bool fuse) {
    Memory memory = look->memory(of.keys, of.values, data);
    AttentionState state;
    Variables contexts;
    for (std::int64_t t = 0; t < kMore; ++t) {
      memory = of.grown(*look, memory, t, t + 1);
      const Attended found =
          look->attend(of.query.slice(2, t, t + 1), memory, state.grown(memory.size()),
                       {.given = {.first_query = first}, .fuse = fuse});
      state = found.state;
      contexts.push_back(found.context);
    }
    return concat(contexts, 2).value();
  };
  for (const bool fuse : {false, true}) {
    SCOPED_TRACE(fuse ? "fused" : "composed");
    const Tensor together = steps(all, {.lengths = filled()}, filled(), fuse);
    for (std::int64_t b = 0; b < kBatch; ++b) {
      SCOPED_TRACE(b);
      expect_near(together.slice(0, b, b + 1), steps(all.alone(b), {}, filled_at(b), fuse), 1e-5);
    }
  }
}

TEST_P(GrowingLaws, APaddedMemoryThatHasGrownIsThatOfEachSequenceAtOnce) {
  const auto look = made(GetParam());
  // Recorded, with gradients of what came first and of what came later.
  const auto leaf = [](const Variable& x) { return Variable::leaf(x.value()); };
  Sequences all;
  all = {.keys = leaf(all.keys),
         .values = leaf(all.values),
         .more_keys = leaf(all.more_keys),
         .more_values = leaf(all.more_values),
         .query = all.query};
  Memory memory = look->memory(all.keys, all.values, {.lengths = filled()});
  memory = all.grown(*look, memory, 0, 1);
  EXPECT_EQ(memory.size(), kPlaces) << "the padding had room";
  memory = all.grown(*look, memory, 1, kMore);
  EXPECT_EQ(memory.size(), 5 + kMore);
  EXPECT_EQ(memory.data.lengths.values(), filled(kMore).values());
  const Variable context =
      look->attend(all.query, memory, {}, {.given = {.first_query = filled()}}).context;
  backward(sum(square(context)));
  const auto gradient = [](const Variable& x) {
    return x.gradient().defined() ? x.gradient() : Tensor::zeros(x.shape());
  };
  for (std::int64_t b = 0; b < kBatch; ++b) {
    SCOPED_TRACE(b);
    const Sequences one = all.alone(b);
    const Sequences mine{.keys = leaf(one.keys),
                         .values = leaf(one.values),
                         .more_keys = leaf(one.more_keys),
                         .more_values = leaf(one.more_values),
                         .query = one.query};
    const Memory at_once = look->memory(concat({mine.keys, mine.more_keys}, 2),
                                        concat({mine.values, mine.more_values}, 2));
    const Variable alone =
        look->attend(mine.query, at_once, {}, {.given = {.first_query = filled_at(b)}}).context;
    backward(sum(square(alone)));
    expect_near(context.value().slice(0, b, b + 1), alone.value(), 1e-5);
    const auto of = [b](const Tensor& x) { return x.slice(0, b, b + 1); };
    expect_near(of(gradient(all.keys)).slice(2, 0, filled_at(b)), gradient(mine.keys), 1e-5);
    expect_near(of(gradient(all.values)).slice(2, 0, filled_at(b)), gradient(mine.values), 1e-5);
    expect_near(of(gradient(all.more_keys)), gradient(mine.more_keys), 1e-5);
    expect_near(of(gradient(all.more_values)), gradient(mine.more_values), 1e-5);
  }
}

std::set<std::string> growing() {
  std::set<std::string> all = heed::test::mechanisms_for_padding();
  for (const std::string& whole : every_setting<WholeAttention>()) {
    if (!made_part<WholeAttention>(whole)->mixes_keys()) all.insert(whole + " | causal & padding");
    all.insert(whole + " | padding");
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, GrowingLaws, ::testing::ValuesIn(growing()),
                         [](const auto& info) { return test_name_of(info.param); });

TEST(GrowingMemories, OfDifferentLengthsHaveTwoFuturesAndOtherRows) {
  const NoGradient values_only;
  const auto look = made("scaled_dot | causal & padding");
  const Sequences all;
  const Memory first =
      all.grown(*look, look->memory(all.keys, all.values, {.lengths = filled()}), 0, 1);
  const auto context = [&](const Memory& memory, std::int64_t b, const Ids& position) {
    const Tensor query =
        all.query.slice(0, b, b + 1).expand({memory.keys.size(0), kHeads, kMore, kWidth});
    return look->attend(query.slice(2, 0, 1), memory, {}, {.given = {.first_query = position}})
        .context.value();
  };
  const Tensor before = context(first, 0, filled());
  const Memory one = all.grown(*look, first, 1, 2);
  const Tensor of_one = context(one, 0, filled(1));
  const Memory other = all.grown(*look, first, 2, 3);
  expect_near(context(first, 0, filled()), before, 0);
  expect_near(context(one, 0, filled(1)), of_one, 0);
  EXPECT_NE(context(other, 0, filled(1)).values(), of_one.values());

  // Beams: the third sequence twice, then the last.
  const Ids rows = Ids::of({3}, {2, 2, 3});
  const Memory beams = first.reordered(rows);
  EXPECT_EQ(beams.data.lengths.values(), (std::vector<std::int32_t>{6, 6, 1}));
  const auto pick = [&](const Variable& x) { return rows_of(slice(x, 2, 1, 2), rows); };
  const Memory grown = look->grown(beams, pick(all.more_keys), pick(all.more_values));
  const Tensor found = context(grown, 2, Ids::of({3}, {6, 6, 1}));
  const Tensor expected = context(one, 2, filled(1));
  expect_near(found.slice(0, 0, 1), expected.slice(0, 2, 3), 1e-6);
  expect_near(found.slice(0, 1, 2), expected.slice(0, 2, 3), 1e-6);
  expect_near(found.slice(0, 2, 3), expected.slice(0, 3, 4), 1e-6);
}

TEST(GrowingMemories, OfDifferentLengthsTurnRotaryKeysEachByItsOwn) {
  Random random(3);
  const MultiHead look({.mechanism = "scaled_dot | causal & padding",
                        .query_width = 8,
                        .heads = 2,
                        .rotary = Rotary{}},
                       random);
  const Tensor words = wavy({kBatch, kPlaces, 8}, 1), next = wavy({kBatch, 1, 8}, 2);
  const Memory memory =
      look.grown(look.memory(words, words, {.lengths = filled()}), Variable(next), Variable(next));
  const Tensor found =
      look.attend(Variable(next), memory, {}, {.given = {.first_query = filled()}}).context.value();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const Tensor mine = words.slice(0, b, b + 1).slice(1, 0, filled_at(b));
    const Variable last = next.slice(0, b, b + 1);
    const Tensor alone = look.attend(last, look.grown(look.memory(mine, mine), last, last), {},
                                     {.given = {.first_query = filled_at(b)}})
                             .context.value();
    expect_near(found.slice(0, b, b + 1), alone, 1e-5);
  }
}

}  // namespace
}  // namespace heed::attention
