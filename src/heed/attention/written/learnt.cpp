// SPDX-License-Identifier: Apache-2.0
// From the parameters of a mechanism to the numbers that they stand for.
#include "heed/attention/written/learnt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/written/spec.h"

namespace heed::attention {
namespace {

std::vector<LearntReading>& readings() {
  static std::vector<LearntReading> all;
  return all;
}

}  // namespace

void add_reading(LearntReading reading) {
  readings().push_back(std::move(reading));
}

std::vector<LearntNumbers> learnt_numbers(
    std::string_view text, const std::function<std::vector<double>(const std::string&)>& values) {
  const Spec spec = parse_spec(text);
  std::vector<LearntNumbers> found;
  const auto add = [&](const LearntReading& reading, const PartSpec& part, std::size_t first,
                       const std::string& group) {
    std::vector<double> numbers;
    for (const double value : values(group + reading.parameter)) {
      numbers.push_back(reading.of(part.arguments, value));
    }
    if (std::ranges::all_of(numbers, [](double x) { return std::isnan(x); })) return;
    auto mine = std::ranges::find(found, reading.name, &LearntNumbers::name);
    if (mine == found.end()) mine = found.insert(mine, {reading.name, {}});
    mine->heads.resize(first, std::numeric_limits<double>::quiet_NaN());
    mine->heads.insert(mine->heads.end(), numbers.begin(), numbers.end());
  };
  std::size_t first = 0;  // of all heads
  for (std::size_t i = 0; i < spec.groups.size(); ++i) {
    const MechanismSpec& mechanism = spec.groups[i].mechanism;
    const std::string group = spec.groups.size() == 1 ? "" : fmt::format("heads_{}.", i + 1);
    std::vector<PartSpec> parts = mechanism.terms;
    parts.push_back(mechanism.normaliser);
    for (const PartSpec& part : parts) {
      for (const LearntReading& reading : readings()) {
        if (reading.part == part.name) add(reading, part, first, group);
      }
    }
    first += static_cast<std::size_t>(spec.groups[i].heads);
  }
  for (LearntNumbers& numbers : found) {
    numbers.heads.resize(std::max(first, numbers.heads.size()),
                         std::numeric_limits<double>::quiet_NaN());
  }
  return found;
}

}  // namespace heed::attention
