// SPDX-License-Identifier: Apache-2.0
// What a trainer knows besides tensors, as notes of a checkpoint and back, to the last bit.
#pragma once

#include <cstdint>
#include <string>

#include "heed/training/checkpoint.h"
#include "heed/training/early_stopping.h"

namespace heed::training {

struct TrainerState {
  std::int64_t update = 0;     // updates made
  std::int64_t epochs = 0;     // passes over the data completed
  std::int64_t epoch_end = 0;  // the update that completed the last one
  std::int64_t validated = 0;  // the last update that was validated
  double seconds = 0;          // of training, breaks left out
  // Since the last line of the log.
  double loss_sum = 0;
  double weight_sum = 0;
  // Of the parts.
  std::int64_t optimiser_steps = 0;
  std::int64_t schedule_cuts = 0;
  std::uint64_t noise_position = 0;
  EarlyStopping::State stopping = {};
  Metrics best = {};  // of the best validation
  std::string data_position = {};
  std::string curve = {};
  // What the run must have in common with the next.
  std::string config = {};
  std::string data = {};
};

void write_state(const TrainerState& state, Checkpoint& checkpoint);
// DataError that names the note which is missing or ill-formed.
TrainerState read_state(const Checkpoint& checkpoint);

}  // namespace heed::training
