// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/memory/task_suite.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/memory/memory_testing.h"

namespace heed::pipeline {
namespace {

TEST(TaskSuite, FindsFilesAndFoldersInTheOrderOfTheirNumbers) {
  const test::TemporaryFolder folder;
  for (const char* name : {"qa10_lists_train.txt", "qa10_lists_test.txt", "qa2_two_train.txt",
                           "qa2_two_test.txt", "notes.txt"}) {
    test::put(folder / name, "1 a.\n");
  }
  std::filesystem::create_directory(folder / "qa3");
  test::put(folder / "qa3" / "train.txt", "1 a.\n");
  test::put(folder / "qa3" / "test.txt", "1 a.\n");
  std::vector<std::string> names;
  for (const TaskFiles& task : find_tasks(folder.path())) names.push_back(task.name);
  EXPECT_EQ(names, (std::vector<std::string>{"qa2_two", "qa3", "qa10_lists"}));
  test::put(folder / "qa4_alone_train.txt", "1 a.\n");
  EXPECT_NE(test::message_of<DataError>([&] { find_tasks(folder.path()); }).find("qa4_alone_test"),
            std::string::npos);
  EXPECT_THROW(find_tasks(folder / "nowhere"), DataError);
}

TEST(TaskSuite, TakesTheRunOfTheLowestTrainingError) {
  const test::TemporaryFolder folder;
  MemoryOptions small;
  testing::set_small(small, folder.path());
  test::put(folder / "test.txt", testing::where_stories(20, 3));
  MemoryOptions options;
  options.list.read_toml_text(
      fmt::format("out = \"{}\"\nseeds = [\"1\", \"2\", \"3\"]\nwidth = 8\nhops = 1\n"
                  "max-epochs = 2\n",
                  (folder / "models").string()),
      "test");
  std::vector<SuiteTask> done;
  train_tasks(
      options, {{"where", (folder / "train.txt").string(), (folder / "test.txt").string()}},
      [&](const SuiteTask& task) { done.push_back(task); }, [](std::string_view) {});
  ASSERT_EQ(done.size(), 1u);
  ASSERT_EQ(done[0].runs.size(), 3u);
  for (const SuiteRun& run : done[0].runs) {
    EXPECT_LE(done[0].best().train.error(), run.train.error());
    EXPECT_EQ(run.test.questions, 40u);
  }
}

}  // namespace
}  // namespace heed::pipeline
