// SPDX-License-Identifier: Apache-2.0
#include "server/engine/folder_watch.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::server {
namespace {

namespace fs = std::filesystem;

TEST(FolderWatch, TellsAChangeOnceItIsAtRest) {
  const test::TemporaryFolder folder;
  test::put(folder / "model.safetensors", "old");
  FolderWatch watch;
  watch.note(folder.path());
  EXPECT_FALSE(watch.changed(folder.path()));
  test::put(folder / "model.safetensors", "half");
  EXPECT_FALSE(watch.changed(folder.path())) << "it may still be being copied";
  test::put(folder / "model.safetensors", "the whole");
  EXPECT_FALSE(watch.changed(folder.path()));
  EXPECT_TRUE(watch.changed(folder.path()));
  EXPECT_FALSE(watch.changed(folder.path())) << "once";
}

TEST(FolderWatch, PassesOverWhatNoAnswerDependsOn) {
  const test::TemporaryFolder folder;
  test::put(folder / "config.toml", "");
  const std::string before = folder_state(folder.path());
  test::put(folder / "card.md", "card");
  test::put(folder / "curve.svg", "curve");
  test::put(folder / "curve.tsv", "curve");
  test::put(folder / ".model.safetensors.tmp-1-1", "half");
  fs::create_directory(folder / "checkpoints");
  test::put(folder / "checkpoints/1", "state");
  EXPECT_EQ(folder_state(folder.path()), before);
  test::put(folder / "labels.tsv", "a");
  EXPECT_NE(folder_state(folder.path()), before);
}

TEST(FolderWatch, SeesALinkThatPointsElsewhere) {
  const test::TemporaryFolder folder;
  for (const char* name : {"one", "two"}) {
    fs::create_directory(folder / name);
    test::put(folder / name / "config.toml", "same");
  }
  fs::create_directory_symlink(folder / "one", folder / "served");
  FolderWatch watch;
  watch.note(folder / "served");
  fs::remove(folder / "served");
  EXPECT_FALSE(watch.changed(folder / "served"));
  fs::create_directory_symlink(folder / "two", folder / "served");
  EXPECT_FALSE(watch.changed(folder / "served"));
  EXPECT_TRUE(watch.changed(folder / "served"));
}

TEST(FolderWatch, KnowsOnlyWhatItWasTold) {
  const test::TemporaryFolder folder;
  FolderWatch watch;
  EXPECT_FALSE(watch.changed(folder.path()));
  watch.note(folder.path());
  watch.forget(folder.path());
  test::put(folder / "config.toml", "");
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(watch.changed(folder.path()));
  EXPECT_EQ(folder_state(folder / "nothing"), "");
}

}  // namespace
}  // namespace heed::server
