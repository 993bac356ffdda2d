// SPDX-License-Identifier: Apache-2.0
// Comparing validations by one metric.
#include "heed/training/early_stopping.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::training {

const MetricKind& find_metric(std::span<const MetricKind> kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &MetricKind::name);
  if (found != kinds.end()) return *found;
  std::vector<std::string> names;
  for (const MetricKind& kind : kinds) names.push_back(kind.name);
  throw UsageError("--early-stopping is \"{}\": validation gives {}{}", name,
                   names.empty() ? "no metric" : join(names, ", "), did_you_mean(name, names));
}

EarlyStopping::EarlyStopping(MetricKind metric, std::int64_t patience)
    : metric_(std::move(metric)), patience_(patience) {
  if (patience < 0) {
    throw UsageError("--patience is {}; it takes 0 (for ever) or more validations", patience);
  }
}

bool EarlyStopping::beats(double value, const std::optional<double>& other) const {
  if (!std::isfinite(value)) return false;
  if (!other) return true;
  return metric_.better == Better::lower ? value < *other : value > *other;
}

bool EarlyStopping::observe(double value, std::int64_t update) {
  if (beats(value, state_.best_in_turn)) {
    state_.best_in_turn = value;
    state_.stale = 0;
  } else {
    ++state_.stale;
  }
  return consider(value, update);
}

bool EarlyStopping::consider(double value, std::int64_t update) {
  if (!beats(value, state_.best)) return false;
  state_.best = value;
  state_.best_update = update;
  return true;
}

}  // namespace heed::training
