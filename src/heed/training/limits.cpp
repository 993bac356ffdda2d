// SPDX-License-Identifier: Apache-2.0
// Limits and intervals against the state of a run.
#include "heed/training/limits.h"

#include <algorithm>

namespace heed::training {

bool limit_reached(const TrainerOptions& options, const TrainerState& state) {
  return (options.max_updates > 0 && state.update >= options.max_updates) ||
         (options.max_epochs > 0 && state.epochs >= options.max_epochs) ||
         (options.max_minutes > 0 && state.seconds >= 60 * options.max_minutes);
}

std::optional<double> seconds_left(const TrainerOptions& options, const TrainerState& state,
                                   const TrainerState& start) {
  std::optional<double> left;
  const auto take = [&](double seconds) {
    left = std::max(0.0, left ? std::min(*left, seconds) : seconds);
  };
  const auto made = static_cast<double>(state.update - start.update);
  const auto update = static_cast<double>(state.update);
  if (made > 0) {
    const double pace = (state.seconds - start.seconds) / made;
    if (options.max_updates > 0) take(pace * (static_cast<double>(options.max_updates) - update));
    if (options.max_epochs > 0 && state.epochs > 0) {
      const double updates_per_epoch =
          static_cast<double>(state.epoch_end) / static_cast<double>(state.epochs);
      take(pace * (updates_per_epoch * static_cast<double>(options.max_epochs) - update));
    }
  }
  if (options.max_minutes > 0) take(60 * options.max_minutes - state.seconds);
  return left;
}

bool is_due(const Interval& interval, const TrainerState& state, double last) {
  if (state.update == 0) return false;
  switch (interval.unit) {
    case Interval::Unit::updates:
      return state.update % interval.count == 0;
    case Interval::Unit::epochs:
      return state.epoch_end == state.update && state.epochs % interval.count == 0;
    case Interval::Unit::minutes:
      return state.seconds - last >= 60 * static_cast<double>(interval.count);
  }
  return false;
}

std::int64_t epoch_of(const TrainerState& state) {
  const bool just_ended = state.update > 0 && state.epoch_end == state.update;
  return just_ended ? state.epochs : state.epochs + 1;
}

}  // namespace heed::training
