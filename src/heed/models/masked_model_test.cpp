// SPDX-License-Identifier: Apache-2.0
// A masked model: logits where they are asked for, tied to the embeddings.
#include "heed/models/masked_model.h"

#include <gtest/gtest.h>

#include "heed/models/testing.h"

namespace heed::models {
namespace {

TextEncoderOptions tiny_masked_model() {
  return {.vocabulary = 20,
          .kind = TextEncoderKind::transformer,
          .stack = {.width = 8, .heads = 2, .inner = 12, .layers = 2, .dropout = 0}};
}

TEST(MaskedModel, GivesLogitsOfTheTokensAskedForTheSameAloneAndInABatch) {
  Random random(3);
  const MaskedModel model(tiny_masked_model(), random);
  const Sequences texts = testing::random_sequences({5, 7}, 20, random);
  const Tensor both = model(texts, Ids::of({3}, {1, 3, 7 + 2})).value();
  EXPECT_EQ(both.shape(), Shape({3, 20}));
  const Tensor first = model(testing::row_of(texts, 0), Ids::of({2}, {1, 3})).value();
  EXPECT_LE(testing::largest_difference(first, both.slice(0, 0, 2)), 1e-5);
}

TEST(MaskedModel, SeesBothSides) {
  Random random(3);
  const MaskedModel model(tiny_masked_model(), random);
  const Sequences text = testing::random_sequences({6}, 20, random);
  const Tensor before = model(text, Ids::of({1}, {2})).value().clone();
  for (const int changed : {0, 4}) {
    Sequences other{text.ids.clone(), text.lengths};
    other.ids.mutable_data()[changed] = text.ids.at({0, changed}) == 9 ? 10 : 9;
    EXPECT_GT(testing::largest_difference(before, model(other, Ids::of({1}, {2})).value()), 1e-4);
  }
}

TEST(MaskedModel, HasOneTableForInputAndOutput) {
  Random random(3);
  MaskedModel model(tiny_masked_model(), random);
  int tables = 0;
  for (const nn::Parameter& parameter : nn::parameters(model)) {
    if (parameter.variable.shape() == Shape({20, 8})) ++tables;
  }
  EXPECT_EQ(tables, 1);
}

}  // namespace
}  // namespace heed::models
