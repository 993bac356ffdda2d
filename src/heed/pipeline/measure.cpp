// SPDX-License-Identifier: Apache-2.0
// What every kind measures its models with.
#include "heed/pipeline/measure.h"

#include <utility>

#include "heed/base/error.h"

namespace heed::pipeline {

Measure ratio(std::string name, std::vector<double> top, std::vector<double> bottom,
              double (*last)(double)) {
  return {.name = std::move(name),
          .on = [top = std::move(top), bottom = std::move(bottom), last](Sentences sentences) {
            double above = 0, below = 0;
            for (const std::size_t i : sentences) {
              above += top[i];
              below += bottom[i];
            }
            return last(below > 0 ? above / below : 0);
          }};
}

double percent(double share) {
  return 100 * share;
}

void Stopwatch::stop(ComparedModel& contestant) const {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  contestant.seconds = passed.count();
  contestant.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
}

void require_files(std::span<const std::string> files, std::size_t count, std::string_view what) {
  if (files.size() == count) return;
  throw UsageError("--data has {} files; {}", files.size(), what);
}

}  // namespace heed::pipeline
