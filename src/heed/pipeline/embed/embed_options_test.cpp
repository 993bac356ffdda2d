// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/embed/embed_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(EmbedOptions, BecomeThoseOfTheModel) {
  EmbedOptions options;
  options.list.read_toml_text("pooling = \"first\"\nnormalised = false\nwidth = 12\n", "test");
  const models::EmbedderOptions model = options.model(30);
  EXPECT_EQ(model.pooling, models::Summary::first);
  EXPECT_FALSE(model.normalised);
  EXPECT_EQ(model.encoder.vocabulary, 30);
  EXPECT_EQ(model.encoder.stack.width, 12);
}

TEST(EmbedOptions, SayWhatDoesNotFit) {
  EmbedOptions options;
  EXPECT_THROW(options.list.set("temperature", std::vector<std::string>{"0"}), UsageError);
  options.out = "vectors";
  options.trainer.max_updates = 1;
  EXPECT_EQ(test::message_of<UsageError>([&] { options.check(); }),
            "--train: say which file has the pairs of texts");
  options.train = "pairs.tsv";
  EXPECT_NO_THROW(options.check());
  options.too_long = text::TooLong::split;
  EXPECT_TRUE(
      test::message_of<UsageError>([&] { options.check(); }).starts_with("--too-long split"));
}

TEST(EmbedOptions, HavePresets) {
  for (const Preset& preset : embed_presets()) {
    EmbedOptions options;
    options.preset = preset.name;
    EXPECT_NO_THROW(options.apply_preset()) << preset.name;
  }
}

}  // namespace
}  // namespace heed::pipeline
