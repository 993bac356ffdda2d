// SPDX-License-Identifier: Apache-2.0
// The curve of a run: losses and metrics by update, kept as text and drawn as SVG.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heed::training {

struct CurvePoint {
  std::int64_t update = 0;
  double value = 0;
};

class Curve {
 public:
  // Values that are not finite are left out: they have no place in a picture.
  void add_training(CurvePoint loss) { add("training loss", loss); }
  void add_validation(const std::string& metric, CurvePoint point) { add(metric, point); }

  // One line per series, `NAME<tab>UPDATE:VALUE UPDATE:VALUE ...`; and back, DataError when it is
  // not such a text.
  std::string text() const;
  static Curve from_text(std::string_view text);

  // One panel for the losses, of training and validation, and one for each other metric.
  std::string svg(std::string_view title) const;

 private:
  using Series = std::vector<CurvePoint>;
  void add(const std::string& name, CurvePoint point);

  std::map<std::string, Series> series_;
};

}  // namespace heed::training
