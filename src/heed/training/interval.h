// SPDX-License-Identifier: Apache-2.0
// Intervals as options write them: "500", "500 updates", "1 epoch", "10 minutes".
#pragma once

#include <cstdint>
#include <string_view>

namespace heed::training {

struct Interval {
  enum class Unit { updates, epochs, minutes };
  std::int64_t count = 0;
  Unit unit = Unit::updates;
};

// `what` names the option in the UsageError for anything but a positive number and a unit.
Interval parse_interval(std::string_view text, std::string_view what);

}  // namespace heed::training
