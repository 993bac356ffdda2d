// SPDX-License-Identifier: Apache-2.0
// A training that a signal has ended: the verb ends too, with the code that a shell gives such an
// end, so that `heed train ... && next` does not go on.
#pragma once

#include <string_view>

#include "heed/base/error.h"
#include "heed/pipeline/run.h"

namespace heed::cli {

class Interrupted final : public Error {
 public:
  explicit Interrupted(const training::Outcome& outcome)
      : Interrupted(
            fmt::format("saved at update {}, the same command resumes from there", outcome.updates),
            outcome.signal) {}
  Interrupted(std::string_view rest, int signal)
      : Error(fmt::format("interrupted; {}", rest)), signal_(signal) {}
  int exit_code() const noexcept override { return 128 + signal_; }  // 130 or 143

 private:
  int signal_;
};

// Throws Interrupted unless the training has ended by itself.
inline void require_finished(const pipeline::TrainingReport& report) {
  if (report.outcome.ending == training::Ending::interrupted) throw Interrupted(report.outcome);
}

}  // namespace heed::cli
