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

bool EarlyStopping::observe(double value, std::int64_t update) {
  const bool best = consider(value, update);
  if (!best) ++state_.stale;
  return best;
}

bool EarlyStopping::consider(double value, std::int64_t update) {
  if (std::isnan(value)) return false;
  if (state_.best) {
    const bool better =
        metric_.better == Better::lower ? value < *state_.best : value > *state_.best;
    if (!better) return false;
  }
  state_ = {.best = value, .best_update = update, .stale = 0};
  return true;
}

}  // namespace heed::training
