// SPDX-License-Identifier: Apache-2.0
// Comparing configs line by line: equal values are written alike.
#include "heed/training/config_check.h"

#include <algorithm>
#include <map>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::training {
namespace {

std::map<std::string, std::string> values_of(std::string_view config) {
  constexpr std::string_view kEquals = " = ";
  std::map<std::string, std::string> values;
  for (const std::string_view line : split(config, '\n')) {
    const std::size_t at = line.find(kEquals);
    if (line.starts_with('#') || at == std::string_view::npos) continue;
    values.emplace(line.substr(0, at), line.substr(at + kEquals.size()));
  }
  return values;
}

}  // namespace

std::vector<Options::Difference> config_differences(std::string_view saved,
                                                    std::string_view present,
                                                    std::span<const std::string> ignored) {
  std::map<std::string, Options::Difference> all;  // by name
  for (const auto& [name, value] : values_of(present)) all[name] = {name, value, ""};
  for (const auto& [name, value] : values_of(saved)) {
    all[name].name = name;
    all[name].there = value;
  }
  std::vector<Options::Difference> differences;
  for (const auto& [name, values] : all) {
    if (values.here != values.there && std::ranges::count(ignored, name) == 0) {
      differences.push_back(values);
    }
  }
  return differences;
}

std::string difference_lines(std::span<const Options::Difference> differences) {
  std::vector<std::string> lines;
  for (const auto& [name, here, there] : differences) {
    lines.push_back(fmt::format("  {}: was {}, is {}", name, there.empty() ? "not there" : there,
                                here.empty() ? "not there" : here));
  }
  return join(lines, "\n");
}

}  // namespace heed::training
