// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/starting_weights.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/nn/linear.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

struct Start {
  test::TemporaryFolder place;
  TranslationOptions options;
  Vocabularies vocabularies;
  std::unique_ptr<models::EncoderDecoder> model;

  Start() {
    testing::set_small(options, place.path());
    text::PairReader pairs({.source = options.train_source, .target = options.train_target});
    vocabularies = make_vocabularies(options, pairs);
    Random random(3);
    model = make_model(options.model, vocabularies.sizes(), random);
  }
  Tensor table(const std::string& name) {
    for (const nn::Parameter& parameter : nn::parameters(*model)) {
      if (parameter.name == name) return parameter.variable.value();
    }
    return {};
  }
};

TEST(StartingWeights, AreTheWordVectorsOfTheWordsThatHaveOne) {
  Start start;
  std::string vector = "b";
  for (int i = 0; i < 24; ++i) vector += fmt::format(" {}", i);
  write_atomically(start.place / "vectors", vector + "\n");
  start.options.embeddings = (start.place / "vectors").string();
  const Tensor before = start.table("source.weight").clone();
  set_starting_weights(start.options, start.vocabularies, nn::parameters(*start.model));
  const Tensor after = start.table("source.weight");
  const text::Token b = start.vocabularies.source->find("b");
  const text::Token a = start.vocabularies.source->find("a");
  EXPECT_EQ(after.at({b, 5}), 5);
  EXPECT_EQ(after.at({a, 5}), before.at({a, 5}));
}

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
  write_atomically(folder.tokeniser(), "");
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
  there.width = 32;
  there.trainer.seed = 7;
  put_layers({place.path()}, {{3, 2, random}, {2, 2, random}}, there.list.to_toml());
  TwoLayers mine{{4, 2, random}, {5, 2, random}};
  MaskedOptions here;
  here.width = 64;
  const std::string message = test::message_of<UsageError>(
      [&] { take_over(place.path().string(), nn::parameters(mine), here.list); });
  EXPECT_TRUE(message.ends_with("; these differ: --width is 64 here and 32 there")) << message;
}

TEST(StartingWeights, OfAModelWithNothingInCommonAreRefused) {
  Start start;
  start.options.trainer.max_updates = 1;
  train_translation(start.options, testing::silent);
  TranslationOptions other;
  test::TemporaryFolder place;
  testing::set_small(other, place.path(), ModelKind::transformer);
  other.model.tie = models::Tie::none;
  other.init_from = start.options.out;
  Random random(1);
  const auto model = make_model(other.model, {50, 60}, random);
  EXPECT_THROW(set_starting_weights(other, start.vocabularies, nn::parameters(*model)), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
