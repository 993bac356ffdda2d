// SPDX-License-Identifier: Apache-2.0
// When things are due in a run: its end, the next validation, the next checkpoint, the time left.
#pragma once

#include <optional>

#include "heed/training/interval.h"
#include "heed/training/trainer_options.h"
#include "heed/training/trainer_state.h"

namespace heed::training {

bool limit_reached(const TrainerOptions& options, const TrainerState& state);

// Seconds to the limit that comes first, at the pace since `start`; nothing while no limit is
// known.
std::optional<double> seconds_left(const TrainerOptions& options, const TrainerState& state,
                                   const TrainerState& start);

// Whether the interval ends at this very update; one of minutes, whether it is over since `last`
// (in seconds of training).
bool is_due(const Interval& interval, const TrainerState& state, double last);

// The epoch that the last update belongs to, from 1.
std::int64_t epoch_of(const TrainerState& state);

}  // namespace heed::training
