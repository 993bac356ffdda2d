// SPDX-License-Identifier: Apache-2.0
// Options of questions on pictures: presets, data, and what they suit.
#include "heed/pipeline/visual/visual_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(VisualOptions, HavePresetsThatCanBeBuilt) {
  for (const Preset& preset : visual_presets()) {
    SCOPED_TRACE(preset.name);
    VisualOptions options;
    options.preset = preset.name;
    options.apply_preset();
    Random random(1);
    EXPECT_GT(nn::parameter_count(options.sketch(random)), 10'000);
  }
}

TEST(VisualOptions, SuitAFolderWithQuestions) {
  const test::TemporaryFolder folder;
  VisualOptions options;
  const std::string name = folder.path().string();
  EXPECT_EQ(options.suits(std::span(&name, 1)), 0);
  write_atomically(folder / "train.questions.tsv", "a.png\tx\twhat ?\tyes\t-\n");
  EXPECT_GT(options.suits(std::span(&name, 1)), 0);
  options.take_data(std::span(&name, 1));
  EXPECT_FALSE(options.validates());
  const std::string two[] = {name, name};
  EXPECT_THROW(options.take_data(two), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
