// SPDX-License-Identifier: Apache-2.0
// Synthesised scores: worked numbers, and that keys have no part in them.
#include <gtest/gtest.h>

#include <string>

#include "heed/attention/attention.h"
#include "heed/autograd/ops.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

std::unique_ptr<Attention> synthesizer_of(const std::string& text) {
  Random random(1);
  return make_attention(text, {.query_width = 2, .key_width = 3, .value_width = 2}, random);
}

Tensor synthesized(const Attention& look, const Tensor& query, std::int64_t keys,
                   std::int64_t first = 0) {
  return look
      .attend(query, look.memory(wavy({1, 1, keys, 3}, 1), wavy({1, 1, keys, 2})), {},
              {.given = {.first_query = first}, .weights = true})
      .scores.value();
}

void set_synthesizer(Attention& look, const std::string& path, const Tensor& to) {
  for (const nn::Parameter& parameter : nn::parameters(look)) {
    if (!parameter.name.ends_with(path)) continue;
    Tensor values = parameter.variable.value();
    values.assign(to);
    return;
  }
  FAIL() << path;
}

TEST(Synthesizer, DenseIsANetworkOfTheQuery) {
  const auto look = synthesizer_of("synthesizer(length=3, size=2)");
  set_synthesizer(*look, "W1", Tensor::of({2, 2}, {1, 0, 0, 1}));
  set_synthesizer(*look, "b1", Tensor::of({2}, {0, -1}));
  set_synthesizer(*look, "W2", Tensor::of({3, 2}, {1, 0, 0, 1, 1, 1}));
  set_synthesizer(*look, "b2", Tensor::of({3}, {0, 0, 5}));
  // relu(2, 3 - 1) = 2, 2; relu(-1, 0) = 0.
  expect_near(synthesized(*look, Tensor::of({1, 1, 2, 2}, {2, 3, -1, 1}), 3),
              Tensor::of({1, 1, 2, 3}, {2, 2, 9, 0, 0, 5}), 1e-6);
}

TEST(Synthesizer, RandomAndFactorisedAreOfPositions) {
  const auto random = synthesizer_of("synthesizer(kind=random, length=4)");
  const Tensor table = nn::parameters(*random)[0].variable.value();
  const Tensor found = synthesized(*random, wavy({1, 1, 2, 2}), 3, 1);
  expect_near(found, table.slice(0, 1, 3).slice(1, 0, 3).reshape({1, 1, 2, 3}), 0);

  const auto factorised = synthesizer_of("synthesizer(kind=factorised, length=3, size=1)");
  set_synthesizer(*factorised, "R1", Tensor::of({3, 1}, {1, 2, 3}));
  set_synthesizer(*factorised, "R2", Tensor::of({3, 1}, {1, 10, 100}));
  expect_near(synthesized(*factorised, wavy({1, 1, 2, 2}), 3, 1),
              Tensor::of({1, 1, 2, 3}, {2, 20, 200, 3, 30, 300}), 1e-4);
}

TEST(Synthesizer, MixesWithScoresOfKeys) {
  Random random(1);
  const auto mixed = make_attention("scaled_dot + synthesizer(kind=random, length=4) | causal",
                                    {.query_width = 3, .key_width = 3, .value_width = 2}, random);
  const Tensor x = wavy({1, 1, 4, 3});
  const Tensor weights =
      mixed->attend(x, mixed->memory(x, wavy({1, 1, 4, 2})), {}, {.weights = true}).weights.value();
  expect_near(sum(weights, 3), Tensor::full({1, 1, 4}, 1), 1e-6);
}

TEST(Synthesizer, LearnsNothingWhereItStaysAsDrawn) {
  const auto look = synthesizer_of("synthesizer(kind=random, length=4, trained=false)");
  const Tensor x = wavy({1, 1, 3, 2});
  backward(sum(
      square(look->attend(x, look->memory(wavy({1, 1, 3, 3}), Variable::leaf(wavy({1, 1, 3, 2}))))
                 .context)));
  EXPECT_FALSE(nn::parameters(*look)[0].variable.gradient().defined());
}

TEST(Synthesizer, SaysHowLongItMayBe) {
  const auto look = synthesizer_of("synthesizer(kind=random, length=4)");
  EXPECT_EQ(message_of([&] {
              synthesized(*look, wavy({1, 1, 2, 2}), 3, 3);
            }),
            "synthesizer: 3 keys and queries up to place 5; length is 4, set it to the most there "
            "will be");
}

}  // namespace
}  // namespace heed::attention
