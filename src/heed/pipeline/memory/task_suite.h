// SPDX-License-Identifier: Apache-2.0
// A folder of tasks, such as bAbI's: a memory network for each, trained from several seeds, of
// which the one with the lowest training error is tested.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/pipeline/memory/story_quality.h"
#include "heed/pipeline/print.h"

namespace heed::pipeline {

struct TaskFiles {
  std::string name{};
  std::string train{};
  std::string test{};
};
// Tasks of a folder: files NAME_train.txt with NAME_test.txt beside them, and folders NAME that
// hold train.txt and test.txt; numbers in names count as such, so that qa2 is before qa10.
// DataError when there is none, and for a file without its other half.
HEED_EXPORTED std::vector<TaskFiles> find_tasks(const std::filesystem::path& folder);

struct SuiteRun {
  std::string name{};   // "seed 1"
  std::string model{};  // its folder
  StoryQuality train{};
  StoryQuality test{};
};
struct SuiteTask {
  TaskFiles files{};
  std::vector<SuiteRun> runs{};
  std::size_t chosen = 0;  // the run of the lowest training error, then of the lowest loss

  const SuiteRun& best() const { return runs[chosen]; }
};

// Trains in folders TASK/seed-N below --out and resumes where the same command was interrupted.
// `done` gets each task when it is finished. How the last training ended: one that was interrupted
// is the last.
HEED_EXPORTED training::Outcome train_tasks(const MemoryOptions& options,
                                            const std::vector<TaskFiles>& tasks,
                                            const std::function<void(const SuiteTask&)>& done,
                                            const Print& print = nullptr);

}  // namespace heed::pipeline
