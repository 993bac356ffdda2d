// SPDX-License-Identifier: Apache-2.0
// Curves as text.
#include "heed/training/curve.h"

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::training {
namespace {

constexpr double kMostValue = 1e300;  // the distance of two is finite, too

}  // namespace

void Curve::add(const std::string& name, CurvePoint point) {
  if (std::abs(point.value) < kMostValue) series_[name].push_back(point);
}

std::string Curve::text() const {
  std::string text;
  for (const auto& [name, points] : series_) {
    text += name + '\t';
    for (std::size_t i = 0; i < points.size(); ++i) {
      text += fmt::format("{}{}:{}", i == 0 ? "" : " ", points[i].update, points[i].value);
    }
    text += '\n';
  }
  return text;
}

Curve Curve::from_text(std::string_view text) {
  Curve curve;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    try {
      if (tab == std::string_view::npos) throw UsageError("no tab after the name");
      for (const std::string_view point : split(line.substr(tab + 1), ' ')) {
        const std::size_t colon = point.find(':');
        if (colon == std::string_view::npos) throw UsageError("no colon in \"{}\"", point);
        curve.add(std::string(line.substr(0, tab)),
                  {parse_integer(point.substr(0, colon), "update"),
                   parse_number(point.substr(colon + 1), "value")});
      }
    } catch (const UsageError& error) {
      throw DataError("curve: the line \"{}\" cannot be read: {}", shorten(line, 40), error.what());
    }
  }
  return curve;
}

}  // namespace heed::training
