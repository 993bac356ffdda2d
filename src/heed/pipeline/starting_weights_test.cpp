// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/starting_weights.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/nn/linear.h"
#include "heed/pipeline/masked/masked_options.h"

namespace heed::pipeline {
namespace {

struct TwoLayers {
  nn::Linear first, second;
  void visit(nn::ParameterVisitor& visitor) {
    visitor("first", first);
    visitor("second", second);
  }
};

// A folder with these two layers, whose first bias is 5, and with this config.
void put_layers(const ModelFolder& folder, TwoLayers layers, const std::string& config) {
  layers.first.bias.mutable_value().assign(Tensor::full({2}, 5));
  folder.save_weights(nn::parameters(layers), "masked");
  write_atomically(folder.config(), config);
  write_atomically(folder.file("tokeniser"), "");
}

TEST(StartingWeights, AreWhateverHasTheSameNameAndShapeAndTheRestIsNamed) {
  test::TemporaryFolder place;
  Random random(1);
  put_layers({place.path()}, {{3, 2, random}, {2, 2, random}}, "");
  TwoLayers mine{{3, 2, random}, {7, 2, random}};
  const TakenOver found = take_over(place.path().string(), nn::parameters(mine), {});
  EXPECT_EQ(mine.first.bias.value().at({1}), 5);
  EXPECT_EQ(found.text("X"), "3 of 4 tensors come from X; left as they were: second.weight");
}

TEST(StartingWeights, ThatShareVectorsOnlyAreRefusedAndTheOptionsThatDifferNamed) {
  test::TemporaryFolder place;
  Random random(1);
  MaskedOptions there;
  there.stack.width = 32;
  there.trainer.seed = 7;
  put_layers({place.path()}, {{3, 2, random}, {2, 2, random}}, there.list.to_toml());
  TwoLayers mine{{4, 2, random}, {5, 2, random}};
  MaskedOptions here;
  here.stack.width = 64;
  const std::string message = test::message_of<UsageError>(
      [&] { take_over(place.path().string(), nn::parameters(mine), here.list); });
  EXPECT_TRUE(message.ends_with("; these differ: --width is 64 here and 32 there")) << message;
}

}  // namespace
}  // namespace heed::pipeline
