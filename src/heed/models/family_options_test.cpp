// SPDX-License-Identifier: Apache-2.0
// The options that published families need, in models that are trained here: the same in batches,
// parts and steps, each parameter named once and learnt.
#include <gtest/gtest.h>

#include <set>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/family_options_testing.h"
#include "heed/models/gpt.h"
#include "heed/models/language_testing.h"
#include "heed/models/masked_model.h"
#include "heed/models/transformer.h"

namespace heed::models {
namespace {

using namespace testing;

std::set<std::string> family_names(const nn::Parameters& parameters) {
  std::set<std::string> names;
  for (const nn::Parameter& parameter : parameters) names.insert(parameter.name);
  return names;
}

void expect_all_learn(const nn::Parameters& parameters) {
  for (const nn::Parameter& parameter : parameters) {
    EXPECT_TRUE(parameter.variable.gradient().defined()) << parameter.name;
  }
}

TEST(FamilyOptions, OfLlamaReadTheSameInBatchesPartsAndSteps) {
  GptOptions options{.vocabulary = 9, .context = 12, .stack = llama_stack()};
  Random random(1);
  Gpt model(options, random);
  expect_reads_agree(model, 11);
  expect_no_look_ahead(model, 9);
  nn::Parameters parameters = nn::parameters(model);
  const std::set<std::string> names = family_names(parameters);
  EXPECT_TRUE(names.contains("stack.layers.0.feed.gated.weight"));
  EXPECT_TRUE(names.contains("stack.layers.0.self.W_K.bias"));
  EXPECT_FALSE(names.contains("stack.layers.0.self.W_O.bias"));
  EXPECT_FALSE(names.contains("stack.layers.0.feed.first.bias"));
  EXPECT_FALSE(names.contains("stack.norm.bias"));
  for (const nn::Parameter& parameter : parameters) {
    if (parameter.name == "stack.layers.0.self.W_Q.weight") {
      EXPECT_EQ(parameter.variable.shape(), (Shape{12, 16}));
    }
    if (parameter.name == "stack.layers.0.self.W_K.weight") {
      EXPECT_EQ(parameter.variable.shape(), (Shape{6, 16}));
    }
  }
  const Ids tokens = random_tokens({2, 8}, 9, random);
  backward(language_loss(model, tokens, tokens));
  expect_all_learn(parameters);
}

TEST(FamilyOptions, OfBertTellTwoTextsApart) {
  Random random(2);
  MaskedModel model({.vocabulary = 9, .kind = TextEncoderKind::transformer, .stack = bert_stack()},
                    random);
  const Ids places = Ids::of({2}, {1, 4});
  Sequences one{Ids::of({1, 5}, {4, 5, 6, 7, 3}), Ids::of({1}, {5})};
  Sequences two = one;
  two.segments = Ids::of({1, 5}, {0, 0, 1, 1, 1});
  const Variable apart = model(two, places);
  const Tensor plain = model(one, places).value();
  EXPECT_GT(largest_difference(apart.value(), plain), 1e-4);
  two.segments = Ids::of({1, 5}, {0, 0, 0, 0, 0});
  EXPECT_EQ(largest_difference(model(two, places).value(), plain), 0);
  const nn::Parameters parameters = nn::parameters(model);
  EXPECT_TRUE(family_names(parameters).contains("encoder.stack.segments.weight"));
  EXPECT_TRUE(family_names(parameters).contains("encoder.stack.embedding_norm.gain"));
  backward(sum(apart * apart));
  expect_all_learn(parameters);
}

TEST(FamilyOptions, OfT5HaveOneTableOfDistancesOnEachSide) {
  TransformerOptions options{.source_vocabulary = 9,
                             .target_vocabulary = 9,
                             .stack = t5_stack(),
                             .encoder_layers = 2,
                             .decoder_layers = 3,
                             .tie = Tie::all};
  Random random(3);
  Transformer model(options, random);
  const std::set<std::string> names = family_names(nn::parameters(model));
  const auto tables = std::ranges::count_if(
      names, [](const std::string& name) { return name.ends_with("self.bias.table"); });
  EXPECT_EQ(tables, 2);
}

TEST(FamilyOptions, OfBertNameEachParameterOfBothSidesOnce) {
  TransformerOptions options{.source_vocabulary = 9,
                             .target_vocabulary = 9,
                             .stack = bert_stack(),
                             .encoder_layers = 1,
                             .decoder_layers = 1};
  Random random(3);
  Transformer model(options, random);
  const std::set<std::string> names = family_names(nn::parameters(model));
  for (const char* side : {"source", "target"}) {
    EXPECT_TRUE(names.contains(std::string(side) + ".segments.weight"));
    EXPECT_TRUE(names.contains(std::string(side) + ".embedding_norm.gain"));
  }
}

TEST(FamilyOptions, AreRefusedWhereTheyCannotBe) {
  Random random(4);
  GptOptions options{.vocabulary = 9, .context = 12, .stack = llama_stack()};
  options.stack.head_width = 5;
  EXPECT_THROW(Gpt(options, random), UsageError);
  options.stack = llama_stack();
  options.stack.rotary.scaling.high = 1;
  EXPECT_THROW(Gpt(options, random), UsageError);
}

}  // namespace
}  // namespace heed::models
