// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/presets.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

constexpr std::array<Preset, 2> kTwo = {
    {{"wide", "width = 9\ndepth = 2\n"}, {"deep", "depth = 7\n"}}};

struct Shape {
  std::string preset;
  std::int64_t width = 1;
  std::int64_t depth = 1;
  Options list;

  Shape() {
    list.add("preset", preset, "which");
    list.add("width", width, "how wide");
    list.add("depth", depth, "how deep");
  }
};

TEST(Presets, FillInWhatNobodyHasSaid) {
  Shape shape;
  shape.list.read_toml_text("preset = \"wide\"\ndepth = 5\n", "test");
  apply_preset(shape, kTwo);
  EXPECT_EQ(shape.width, 9);
  EXPECT_EQ(shape.depth, 5);
}

TEST(Presets, LeaveWhatTheProgramHasSet) {
  Shape shape;
  shape.preset = "wide";
  shape.depth = 5;
  apply_preset(shape, kTwo);
  EXPECT_EQ(shape.width, 9);
  EXPECT_EQ(shape.depth, 5);
}

TEST(Presets, WithoutANameChangeNothing) {
  Shape shape;
  apply_preset(shape, kTwo);
  EXPECT_EQ(shape.width, 1);
}

TEST(Presets, AnUnknownOneNamesTheNearestAndAll) {
  Shape shape;
  shape.preset = "wyde";
  try {
    apply_preset(shape, kTwo);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()),
              "--preset: there is no \"wyde\" (did you mean \"wide\"?); there are wide, deep");
  }
}

}  // namespace
}  // namespace heed::pipeline
