// SPDX-License-Identifier: Apache-2.0
// Reading an interval: a whole number, then its unit.
#include "heed/training/interval.h"

#include <string>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::training {

Interval parse_interval(std::string_view text, std::string_view what) {
  const auto refuse = [&]() -> Interval {
    throw UsageError(
        "{} is \"{}\": it takes such as \"500\", \"500 updates\", \"1 epoch\" or "
        "\"10 minutes\"",
        what, text);
  };
  const std::string_view trimmed = trim(text);
  const std::size_t end = trimmed.find_first_not_of("0123456789");
  const std::string_view digits = trimmed.substr(0, end);
  constexpr std::size_t kMostDigits = 18;
  if (digits.empty() || digits.size() > kMostDigits) return refuse();
  Interval interval{.count = parse_integer(digits, what)};
  const std::string_view unit =
      end == std::string_view::npos ? std::string_view() : trim(trimmed.substr(end));
  if (unit.empty() || unit == "updates" || unit == "update") {
    interval.unit = Interval::Unit::updates;
  } else if (unit == "epochs" || unit == "epoch") {
    interval.unit = Interval::Unit::epochs;
  } else if (unit == "minutes" || unit == "minute") {
    interval.unit = Interval::Unit::minutes;
  } else {
    return refuse();
  }
  return interval.count > 0 ? interval : refuse();
}

}  // namespace heed::training
