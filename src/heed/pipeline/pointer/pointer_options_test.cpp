// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/pointer/pointer_options.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/pointer/pointer_testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

TEST(PointerOptions, AreRefusedWithTheirRemedy) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::function<void(PointerOptions&)>& change) {
    PointerOptions options;
    testing::set_small(options, folder.path());
    change(options);
    return test::message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_EQ(refused([](PointerOptions& o) { o.task = "hul"; }),
            "--task hul: there is no such task (did you mean \"hull\"?), and no such file; there "
            "are hull, tour, sort");
  EXPECT_EQ(refused([](PointerOptions& o) { o.task = "hull", o.points = 2; }),
            "--points 2: a hull takes 3 or more");
  EXPECT_EQ(refused([](PointerOptions& o) { o.most_points = 2; }),
            "--most-points 2: it is below --points 3");
  EXPECT_NE(refused([](PointerOptions& o) {
              o.task = "tour", o.points = 13;
            }).find("known of at most 12 points; learn larger ones by --learn reinforce"),
            std::string::npos);
  EXPECT_EQ(refused([](PointerOptions& o) { o.learn = PointLearning::reinforce; }),
            "--learn reinforce: it learns from the lengths of tours; give --task tour");
}

TEST(PointerOptions, HavePresetsThatFitTheirTask) {
  const TemporaryFolder folder;
  for (const std::string& name : preset_names(pointer_presets())) {
    PointerOptions options;
    options.out = (folder / name).string();
    options.preset = name;
    options.apply_preset();
    options.trainer.max_updates = 1;
    EXPECT_NO_THROW(options.check()) << name;
  }
}

TEST(PointForm, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  const PointForm form{.task = corpora::PointTask::tour, .least = 0, .fewest = 4, .most = 9};
  form.write(folder / "points.toml");
  const PointForm read = PointForm::read(folder / "points.toml");
  EXPECT_EQ(read.task, form.task);
  EXPECT_EQ(read.least, 0);
  EXPECT_EQ(read.fewest, 4);
  EXPECT_EQ(read.most, 9);
}

}  // namespace
}  // namespace heed::pipeline
