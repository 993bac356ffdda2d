// SPDX-License-Identifier: Apache-2.0
// A whole masked model against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/models/masked_model.h"
#include "heed/models/testing.h"

namespace heed::models {
namespace {

TEST(MaskedModelGradients, AreSlopesOfTheLoss) {
  Random random(5);
  MaskedModel model({.vocabulary = 11,
                     .kind = TextEncoderKind::transformer,
                     .stack = {.width = 8, .heads = 2, .inner = 12, .layers = 2, .dropout = 0}},
                    random);
  const Sequences texts = testing::random_sequences({5, 3}, 11, random);
  testing::expect_slopes(nn::parameters(model), [&] {
    return cross_entropy(model(texts, Ids::of({3}, {0, 2, 6})), Ids::of({3}, {5, 7, 9}));
  });
}

}  // namespace
}  // namespace heed::models
