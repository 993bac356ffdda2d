// SPDX-License-Identifier: Apache-2.0
// Pairs of files by name; trainings by repeat.h; models judged on what they learnt and on the test.
#include "heed/pipeline/memory/task_suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/memory/asker.h"
#include "heed/pipeline/repeat.h"

namespace heed::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrainEnding = "_train.txt";

// A name with its numbers padded, so that they sort as numbers.
std::string sorted_by(const std::string& name) {
  constexpr std::size_t kDigits = 12;
  std::string key;
  for (std::size_t at = 0; at < name.size();) {
    if (std::isdigit(static_cast<unsigned char>(name[at])) == 0) {
      key += name[at++];
      continue;
    }
    std::size_t end = at;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
    key += std::string(kDigits - std::min(kDigits, end - at), '0') + name.substr(at, end - at);
    at = end;
  }
  return key;
}

void require_test(const TaskFiles& task) {
  std::error_code error;
  if (fs::is_regular_file(task.test, error)) return;
  throw DataError("{}: there is no {} beside it to test with", task.train, task.test);
}

}  // namespace

std::vector<TaskFiles> find_tasks(const fs::path& folder) {
  std::error_code error;
  std::vector<TaskFiles> tasks;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory(error)) {
      if (!fs::is_regular_file(entry.path() / "train.txt", error)) continue;
      tasks.push_back(
          {name, (entry.path() / "train.txt").string(), (entry.path() / "test.txt").string()});
    } else if (name.ends_with(kTrainEnding)) {
      const std::string stem = name.substr(0, name.size() - kTrainEnding.size());
      tasks.push_back({stem, entry.path().string(), (folder / (stem + "_test.txt")).string()});
    }
  }
  if (tasks.empty()) {
    throw DataError(
        "{}: no task; it takes a folder with files NAME_train.txt and NAME_test.txt, or with "
        "folders that hold train.txt and test.txt",
        folder.string());
  }
  std::ranges::sort(tasks, {}, [](const TaskFiles& task) { return sorted_by(task.name); });
  std::ranges::for_each(tasks, require_test);
  return tasks;
}

training::Outcome train_tasks(const MemoryOptions& options, const std::vector<TaskFiles>& tasks,
                              const std::function<void(const SuiteTask&)>& done,
                              const Print& print) {
  training::Outcome last;
  for (const TaskFiles& files : tasks) {
    MemoryOptions mine(options);
    mine.train = {files.train};
    mine.list.read_toml_text(fmt::format("train = [\"{}\"]\n", files.train), files.name);
    mine.list.read_toml_text(
        fmt::format("out = \"{}\"\n", (fs::path(options.out) / files.name).string()), files.name);
    if (mine.seeds.empty()) {
      mine.list.read_toml_text(fmt::format("seeds = [\"{}\"]\n", options.trainer.seed), files.name);
    }
    SuiteTask task{.files = files};
    for (const Repetition& run : train_repeatedly(mine, print)) {
      last = run.report.outcome;
      if (last.ending == training::Ending::interrupted) return last;
      const Asker asker(run.out);
      task.runs.push_back({run.name, run.out, asker.judge(files.train), asker.judge(files.test)});
    }
    task.chosen = static_cast<std::size_t>(
        std::ranges::min_element(
            task.runs, {},
            [](const SuiteRun& run) { return std::pair(run.train.error(), run.train.loss); }) -
        task.runs.begin());
    done(task);
  }
  return last;
}

}  // namespace heed::pipeline
