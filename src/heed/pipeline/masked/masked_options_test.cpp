// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/masked/masked_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(MaskedOptions, BecomeThoseOfMasks) {
  MaskedOptions options;
  options.list.read_toml_text("mask-share = 0.3\nwhole-words = true\nseed = 9\n", "test");
  const text::MaskingOptions masks = options.masking();
  EXPECT_EQ(masks.share, .3);
  EXPECT_EQ(masks.hidden, .8);
  EXPECT_TRUE(masks.whole_words);
  EXPECT_EQ(masks.seed, 9u);
}

TEST(MaskedOptions, SayWhatDoesNotFit) {
  MaskedOptions options;
  EXPECT_THROW(options.list.set("mask-share", std::vector<std::string>{"0"}), UsageError);
  options.out = "words";
  options.train = "text";
  options.trainer.max_updates = 1;
  options.mask_replaced = .5;
  EXPECT_EQ(test::message_of<UsageError>([&] { options.check(); }),
            "--mask-hidden 0.8 and --mask-replaced 0.5: together they are at most 1");
}

TEST(MaskedOptions, HavePresets) {
  for (const Preset& preset : masked_presets()) {
    MaskedOptions options;
    options.preset = preset.name;
    EXPECT_NO_THROW(options.apply_preset()) << preset.name;
  }
}

}  // namespace
}  // namespace heed::pipeline
