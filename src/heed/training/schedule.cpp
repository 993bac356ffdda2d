// SPDX-License-Identifier: Apache-2.0
// The closed forms of the schedules.
#include "heed/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"

namespace heed::training {

const std::vector<std::string>& decay_names() {
  static const std::vector<std::string> names = {"constant", "inverse-square-root", "cosine",
                                                 "step", "plateau"};
  return names;
}

Schedule::Schedule(const ScheduleOptions& options) : options_(options) {
  const std::string& name = decay_names().at(static_cast<std::size_t>(options.decay));
  const auto require = [&](bool fits, const char* option, double found, const char* allowed) {
    if (!fits) {
      throw UsageError("schedule {}: {} is {}; it takes {}", name, option, found, allowed);
    }
  };
  require(options.peak > 0, "--learning-rate", options.peak, "more than 0");
  require(options.low >= 0 && options.low <= options.peak, "--lowest-rate", options.low,
          "0 up to --learning-rate");
  require(options.warm_up >= 0, "--warm-up", static_cast<double>(options.warm_up), "0 or more");
  const auto updates = static_cast<double>(options.decay_updates);
  if (options.decay == Decay::cosine) {
    require(options.decay_updates > options.warm_up, "--decay-updates", updates,
            "the update at which the lowest rate is reached, after the warm-up");
  }
  if (options.decay == Decay::step) {
    require(options.decay_updates > 0, "--decay-updates", updates,
            "the number of updates from one cut to the next");
  }
  if (options.decay == Decay::step || options.decay == Decay::plateau) {
    require(options.factor > 0 && options.factor < 1, "--decay-factor", options.factor,
            "more than 0 and less than 1");
  }
  if (options.decay == Decay::plateau) {
    require(options.patience >= 1, "--decay-patience", static_cast<double>(options.patience),
            "1 or more");
  }
}

double Schedule::rate(std::int64_t t) const {
  if (t < options_.warm_up) {
    return options_.peak * static_cast<double>(t) / static_cast<double>(options_.warm_up);
  }
  return std::max(options_.low, decayed(t));
}

double Schedule::decayed(std::int64_t t) const {
  const double peak = options_.peak;
  const auto behind = static_cast<double>(t - options_.warm_up);
  switch (options_.decay) {
    case Decay::constant:
      return peak;
    case Decay::inverse_square_root: {
      const auto warm_up = static_cast<double>(std::max<std::int64_t>(options_.warm_up, 1));
      return peak * std::sqrt(warm_up / static_cast<double>(t));
    }
    case Decay::cosine: {
      const double share =
          std::min(1.0, behind / static_cast<double>(options_.decay_updates - options_.warm_up));
      return options_.low + (peak - options_.low) * (1 + std::cos(std::numbers::pi * share)) / 2;
    }
    case Decay::step:
      // Update w + 1 is the first of the first period.
      return peak * std::pow(options_.factor, std::max<std::int64_t>(0, t - options_.warm_up - 1) /
                                                  options_.decay_updates);
    case Decay::plateau:
      return peak * std::pow(options_.factor, static_cast<double>(cuts_));
  }
  throw InternalError("schedule: no decay has the number {}", static_cast<int>(options_.decay));
}

void Schedule::observe(std::int64_t stale) {
  if (options_.decay != Decay::plateau) return;
  if (stale > 0 && stale % options_.patience == 0) ++cuts_;
}

}  // namespace heed::training
