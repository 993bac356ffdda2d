// SPDX-License-Identifier: Apache-2.0
// Capacity curves of `heed recall`: the share of damaged patterns that come back exactly, against
// how many are stored or against beta, as a table, JSON and a picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/models/associative_capacity.h"

namespace heed::cli {

struct CapacityTable {
  std::string along;  // what the first column is
  std::string title;
  std::vector<double> values;                              // of the first column
  std::vector<std::string> names;                          // of the other columns
  std::vector<std::vector<models::CapacityPoint>> points;  // of each column, one for each value

  std::string text() const;
  std::string json() const;
  std::string svg() const;
};

class CapacityCurves {
 public:
  void declare(Options& list);
  bool wanted() const { return !along_.empty(); }
  // Of patterns of one's own, or of random bits where there are none.
  CapacityTable measured(const std::vector<models::MemoryPattern>& own,
                         const models::CapacityOptions& options) const;

 private:
  std::string along_;
  std::vector<std::string> at_;
  std::int64_t units_ = 64;
  std::int64_t recalls_ = 1000;
};

}  // namespace heed::cli
