// SPDX-License-Identifier: Apache-2.0
// Options of captioners: presets, data, and what they suit.
#include "heed/pipeline/caption/caption_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(CaptionOptions, HavePresetsThatCanBeBuilt) {
  for (const Preset& preset : caption_presets()) {
    SCOPED_TRACE(preset.name);
    CaptionOptions options;
    options.preset = preset.name;
    options.apply_preset();
    Random random(1);
    EXPECT_GT(nn::parameter_count(options.sketch(random)), 10'000);
  }
}

TEST(CaptionOptions, SuitAFolderOfPictures) {
  const test::TemporaryFolder folder;
  CaptionOptions options;
  const std::string name = folder.path().string();
  EXPECT_EQ(options.suits(std::span(&name, 1)), 0);
  write_atomically(folder / "train.captions.tsv", "a.png\ta cat\n");
  EXPECT_EQ(options.suits(std::span(&name, 1)), 1);
  options.take_data(std::span(&name, 1));
  EXPECT_EQ(options.pictures.data, name);
  EXPECT_FALSE(options.validates());
  const std::string two[] = {name, name};
  EXPECT_THROW(options.take_data(two), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
