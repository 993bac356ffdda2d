// SPDX-License-Identifier: Apache-2.0
// The op over sorted rows against the composition that it equals, over several chunks and rounds.
#include "heed/attention/whole/hashed_attention.h"

#include <gtest/gtest.h>

#include "heed/attention/compose/products.h"
#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;

TEST(HashedAttention, GivesTheContextAndTheGradientsOfItsWeights) {
  constexpr std::int64_t kTokens = 300;
  Random random(2);
  const Tensor directions = nn::normal({3, 8, 4}, random),
               slopes = nn::normal({2, 4, kTokens, 6}, random);
  const Tensor inputs[] = {nn::normal({2, 4, kTokens, 8}, random),
                           nn::normal({2, 2, kTokens, 8}, random),
                           nn::normal({2, 2, kTokens, 6}, random)};
  std::vector<std::int64_t> visible;
  for (std::int64_t q = 0; q < kTokens; ++q) visible.push_back(q + 1);
  for (std::int64_t q = 0; q < kTokens; ++q) visible.push_back(std::min<std::int64_t>(q + 1, 200));
  for (const bool self : {false, true}) {
    SCOPED_TRACE(self);
    const auto run = [&](bool composed) {
      const Variable query = Variable::leaf(inputs[0]), keys = Variable::leaf(inputs[1]),
                     values = Variable::leaf(inputs[2]), none;
      const WholeCall call{query, {keys, values, none}, visible, {0, 0}};
      const auto hashed = std::make_shared<HashedKeys>(
          HashOptions{.rounds = 3, .buckets = 8, .chunk = 20, .self = self}, directions, call);
      const Variable context = composed ? combine(hashed_weights(hashed, call, keys), values)
                                        : hashed_context(hashed, call, keys, values);
      backward(sum(context * Variable(slopes)));
      return std::vector<Tensor>{context.value(), query.gradient(), keys.gradient(),
                                 values.gradient()};
    };
    const std::vector<Tensor> composed = run(true), fused = run(false);
    for (std::size_t i = 0; i < fused.size(); ++i) expect_near(fused[i], composed[i], 5e-5);
  }
}

}  // namespace
}  // namespace heed::attention
