// SPDX-License-Identifier: Apache-2.0
// What `heed run` prints and draws: answers, the tape step by step, tables of errors by length.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/tape_picture.h"
#include "heed/insight/terminal/shade.h"
#include "heed/pipeline/machine/machine_runner.h"

namespace heed::cli {

// "16 bits, all right; cost 0.012 bits", "16 bits, 3 wrong (18.8%); cost 9.4 bits".
std::string run_line(const pipeline::MachineRun& run);
// A row for each step: what was shown, what came out, which slot each head looked at most.
std::string tape_text(const corpora::BitForm& form, const pipeline::MachineRun& run);
std::string run_json(std::span<const pipeline::MachineRun> runs);
// "step 25 changed", "steps 25, 26 changed", "nothing changed".
std::string change_line(std::span<const std::int64_t> steps);

insight::TapeScene tape_scene(const corpora::BitForm& form, const pipeline::MachineRun& run);

// Sequences of one length, and how well they were answered.
struct LengthQuality {
  std::int64_t length = 0;
  pipeline::BitQuality quality{};
  double best_cost = 0;  // of the best predictor, where it is known
};
std::string length_table(corpora::BitTask task, std::span<const LengthQuality> rows);
std::string length_json(corpora::BitTask task, std::span<const LengthQuality> rows);

}  // namespace heed::cli
