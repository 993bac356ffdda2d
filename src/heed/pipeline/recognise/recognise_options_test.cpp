// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/recognise/recognise_options.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/recognise/recognise_testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

TEST(RecogniseOptions, AreRefusedWithTheirRemedy) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::function<void(RecogniseOptions&)>& change) {
    RecogniseOptions options;
    testing::set_small(options, folder.path());
    change(options);
    return test::message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_NE(refused([](RecogniseOptions& o) {
              o.task = StripTask::digits;
            }).find("--task digits: give --images and --labels"),
            std::string::npos);
  EXPECT_EQ(refused([](RecogniseOptions& o) { o.images = "x"; }),
            "--images, --labels: symbols are made; give --task digits as well");
  EXPECT_EQ(refused([](RecogniseOptions& o) { o.fewest = 4; }), "--most 3: it is below --fewest 4");
  EXPECT_EQ(refused([](RecogniseOptions& o) {
              o.task = StripTask::digits, o.images = o.labels = o.valid_images = "x";
            }),
            "--valid-images and --valid-labels belong together; give both, or none");
}

TEST(RecogniseOptions, HavePresetsThatMakeModels) {
  const TemporaryFolder folder;
  for (const std::string& name : preset_names(recognise_presets())) {
    RecogniseOptions options;
    options.out = (folder / name).string();
    options.preset = name;
    options.apply_preset();
    options.trainer.max_updates = 1;
    EXPECT_NO_THROW(options.check()) << name;
    Random random(1);
    EXPECT_FALSE(options.sketch(random).empty());
  }
}

TEST(LearntStrips, ComeBackAsTheyWereWritten) {
  const TemporaryFolder folder;
  LearntStrips{.task = StripTask::digits, .height = 28, .fewest = 2, .most = 5}.write(
      folder / "strips.toml");
  const LearntStrips read = LearntStrips::read(folder / "strips.toml");
  EXPECT_EQ(read.task, StripTask::digits);
  EXPECT_EQ(read.height, 28);
  EXPECT_EQ(read.fewest, 2);
  EXPECT_EQ(read.most, 5);
  EXPECT_EQ(read.form().alphabet, "0123456789");
  write_atomically(folder / "strips.toml", "height = -3\n");
  EXPECT_THROW(LearntStrips::read(folder / "strips.toml"), DataError);
}

}  // namespace
}  // namespace heed::pipeline
