// SPDX-License-Identifier: Apache-2.0
// Linear attention: worked numbers, the dense matrix it stands for, sums in place of the past.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/attention.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/make_parts.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

std::unique_ptr<Attention> made(const std::string& text, std::int64_t heads = 1,
                                std::int64_t key_heads = 1) {
  Random random(1);
  return make_attention(
      text,
      {.query_width = 4, .key_width = 4, .value_width = 3, .heads = heads, .key_heads = key_heads},
      random);
}

TEST(Linear, GivesTheNumbersThatCanBeComputedByHand) {
  Random random(1);
  const auto look =
      make_attention("linear", {.query_width = 1, .key_width = 1, .value_width = 1}, random);
  // phi(1) = 2, phi(0) = 1, phi(-1) = 1/e: the query's own feature cancels for one width.
  const Tensor query = Tensor::of({1, 1, 1, 1}, {Real(0.3)});
  const Tensor keys = Tensor::of({1, 1, 3, 1}, {1, 0, -1});
  const Tensor values = Tensor::of({1, 1, 3, 1}, {1, 10, 100});
  const Attended found = look->attend(query, look->memory(keys, values), {}, {.weights = true});
  const double e = std::exp(-1.0), total = 3 + e;
  expect_near(found.weights.value(),
              Tensor::of({1, 1, 1, 3}, {Real(2 / total), Real(1 / total), Real(e / total)}), 1e-6);
  EXPECT_NEAR(found.context.item(), (2 + 10 + 100 * e) / total, 1e-5);
}

TEST(Linear, IsTheDenseMatrixItStandsForInGroupedHeads) {
  for (const char* text : {"linear", "linear | causal", "linear(feature=relu) | prefix(2)"}) {
    SCOPED_TRACE(text);
    const auto look = made(text, 4, 2);
    const Tensor values = wavy({2, 2, 6, 3}, 2);
    const Attended found = look->attend(
        wavy({2, 4, 5, 4}), look->memory(wavy({2, 2, 6, 4}, 1), values), {}, {.weights = true});
    expect_near(found.context.value(), combine(found.weights, values).value(), 1e-5);
    for (const Real total : sum(found.weights.value(), 3).values()) {
      // relu may leave no feature of a query or of its keys: then it sees nothing.
      EXPECT_TRUE(std::abs(total - 1) < 1e-5 || (total == 0 && look->written() != "linear"));
    }
  }
}

TEST(Linear, KeepsOneMatrixInsteadOfItsPast) {
  const auto look = made("linear | causal");
  const Tensor keys = wavy({2, 1, 50, 4}), values = wavy({2, 1, 50, 3}, 1);
  Memory memory = look->memory(keys.slice(2, 0, 1), values.slice(2, 0, 1));
  for (std::int64_t j = 1; j < 50; ++j) {
    memory = look->grown(memory, keys.slice(2, j, j + 1), values.slice(2, j, j + 1));
  }
  EXPECT_EQ(memory.size(), 50);
  EXPECT_EQ(memory.keys.shape(), (Shape{2, 1, 1, 4}));
  EXPECT_EQ(memory.sums.shape(), (Shape{2, 1, 4, 4}));
  // A beam takes the sums along.
  const Tensor query = wavy({2, 1, 1, 4}, 2);
  const AttendOptions last{.given = {.first_query = 49}};
  const Tensor found = look->attend(query, memory, {}, last).context.value();
  const Tensor swapped =
      look->attend(
              Tensor(concat(std::vector<Tensor>{query.slice(0, 1, 2), query.slice(0, 0, 1)}, 0)),
              memory.reordered(Ids::of({2}, {1, 0})), {}, last)
          .context.value();
  expect_near(swapped.slice(0, 0, 1), found.slice(0, 1, 2), 0);
  expect_near(swapped.slice(0, 1, 2), found.slice(0, 0, 1), 0);
}

TEST(Linear, SaysWhatItCannotDo) {
  const auto look = made("linear | causal");
  const Tensor keys = wavy({1, 1, 4, 4}), values = wavy({1, 1, 4, 3});
  const Tensor query = wavy({1, 1, 2, 4});
  const Memory memory = look->memory(keys, values);
  const auto refusal = [&](const AttendOptions& options) {
    return message_of([&] { look->attend(query, memory, {}, options); });
  };
  EXPECT_EQ(refusal({.dropout = Real(0.5)}),
            "attend: dropout 0.5, but linear has no weights to drop; it takes 0");
  EXPECT_EQ(refusal({.given = {.mask = Tensor::full({1, 1, 2, 4}, 1)}}),
            "attend: a mask given, but linear reads nothing besides keys, values and lengths");
  EXPECT_EQ(refusal({.pattern = pattern_of("window(1)")}),
            "attend: linear follows patterns that show each query the first keys, such as causal "
            "and padding, not \"window(left=1)\"");
  const Memory grown = look->grown(memory, keys, values);
  EXPECT_EQ(message_of([&] { look->attend(query, grown); }),
            "attend: linear keeps only the sum of the first 4 keys of this memory; the query at "
            "position 0 sees 1 of them");
  EXPECT_EQ(message_of([&] {
              look->attend(query, grown, {}, {.given = {.first_query = 6}, .weights = true});
            }),
            "attend: weights asked for, but linear keeps only sums of the keys of a memory that "
            "has grown");
}

TEST(Linear, StandsAloneInAWrittenMechanism) {
  const auto refusal = [](const char* text) { return message_of([text] { made(text); }); };
  EXPECT_EQ(refusal("linear + alibi"),
            "mechanism: linear is a whole mechanism: nothing is added to it\n"
            "  linear + alibi\n"
            "           ^");
  EXPECT_EQ(refusal("linear | full | softmax"),
            "mechanism: linear is a whole mechanism: it takes a pattern at most, and no "
            "normaliser\n"
            "  linear | full | softmax\n"
            "                  ^");
  EXPECT_EQ(refusal("linear | causal & window(3)"),
            "mechanism: linear follows patterns that show each query the first keys, such as "
            "causal and padding; window is another kind\n"
            "  linear | causal & window(3)\n"
            "                    ^");
  EXPECT_EQ(refusal("1x(linear)"),
            "mechanism: linear is a whole mechanism: it serves all heads and is written alone\n"
            "  1x(linear)\n"
            "     ^");
  EXPECT_EQ(made("linear(feature=elu) | causal & padding")->written(),
            "linear(feature=elu) | causal & padding");
}

}  // namespace
}  // namespace heed::attention
