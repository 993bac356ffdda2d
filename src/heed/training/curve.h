// SPDX-License-Identifier: Apache-2.0
// The curve of a run: losses and metrics by update, kept as text. insight/draw/curve_plot.h draws
// it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::training {

struct CurvePoint {
  std::int64_t update = 0;
  double value = 0;
};

class Curve {
 public:
  using Series = std::vector<CurvePoint>;
  static constexpr const char* kTrainingLoss = "training loss";

  // Values that are not finite are left out: they have no place in a picture.
  void add_training(CurvePoint loss) { add(kTrainingLoss, loss); }
  void add_validation(const std::string& metric, CurvePoint point) { add(metric, point); }

  // One line per series, `NAME<tab>UPDATE:VALUE UPDATE:VALUE ...`; and back, DataError when it is
  // not such a text.
  std::string text() const;
  static Curve from_text(std::string_view text);

  // By name: the loss in training, and each metric of validation.
  const std::map<std::string, Series>& series() const { return series_; }

 private:
  void add(const std::string& name, CurvePoint point);

  std::map<std::string, Series> series_;
};

}  // namespace heed::training

#pragma GCC visibility pop
