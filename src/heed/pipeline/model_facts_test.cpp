// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_facts.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translate/translation_options.h"

namespace heed::pipeline {
namespace {

TEST(ModelFacts, OfAFolderHaveTheShapesOfItsFileAndTheOptionsOfItsConfig) {
  const test::TemporaryFolder folder;
  Random random(1);
  TranslationOptions options;
  options.model.stack.width = options.model.stack.inner = 8;
  options.model.stack.heads = 2;
  const auto model = make_model(options.model, {.source = 20, .target = 30}, random);
  const nn::Parameters parameters = nn::parameters(*model);
  ModelFolder{folder.path()}.save_weights(parameters, "translate");
  write_atomically(folder / "config.toml", options.list.to_toml());
  const insight::ModelFacts facts = facts_of_folder(folder.path());
  EXPECT_EQ(facts.task, "translate");
  EXPECT_EQ(facts.options.at("model"), "transformer");
  EXPECT_EQ(facts.options.at("width"), "8");
  EXPECT_EQ(insight::describe(facts).cost.parameters, nn::parameter_count(parameters));
}

TEST(ModelFacts, OfAPresetAreThoseOfTheModelItMakes) {
  const auto facts = facts_of_preset("rnn-additive");
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->title, "preset rnn-additive: translate");
  EXPECT_EQ(facts->options.at("hidden"), "512");
  EXPECT_GT(insight::describe(*facts).cost.parameters, 1'000'000);
  EXPECT_FALSE(facts_of_preset("additive").has_value());
}

TEST(ModelFacts, OfAConfigFollowItsKeys) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "small.toml",
                   "width = 16\nheads = 2\ninner = 32\nvocabulary-size = 50\n[recipe]\nx = 1\n");
  const insight::ModelFacts facts = facts_of_config(folder / "small.toml", "translate");
  EXPECT_LT(insight::describe(facts).cost.parameters, 60'000);
  EXPECT_THROW(facts_of_config(folder / "small.toml", "dance"), UsageError);
  EXPECT_THROW(facts_of_folder(folder.path()), DataError);
}

TEST(ModelFacts, OfAConfigFindItsTask) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "config.toml", "hidden = 8\nembedding = 8\nvocabulary-size = 9\n");
  EXPECT_EQ(facts_of_config(folder / "config.toml", "").task, "translate");
  write_atomically(folder / "gpt.toml", "model = \"gpt\"\nwidth = 8\nheads = 1\n");
  EXPECT_EQ(facts_of_config(folder / "gpt.toml", "").task, "language");
  // Whatever else would read it, the folder's weights say what it is.
  ModelFolder{folder.path()}.save_weights({}, "classify");
  write_atomically(folder / "tokeniser", "");
  write_atomically(folder / "labels.tsv", "");
  EXPECT_EQ(facts_of_config(folder / "config.toml", "").task, "classify");
  write_atomically(folder / "slip.toml", "hiden = 8\n");
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                facts_of_config(folder / "slip.toml", "");
              }).ends_with("name its own with --task"));
}

}  // namespace
}  // namespace heed::pipeline
