// SPDX-License-Identifier: Apache-2.0
// What stands behind weights that a normaliser makes by solving a problem: the few structures that
// share them (SparseMAP), and how far iterations are from their end (sinkhorn).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/normaliser.h"
#include "heed/attention/observer.h"

namespace heed::attend {

struct HeadStructure {
  std::int64_t sequence = 0;
  std::int64_t head = 0;
  std::int64_t query = -1;  // -1: of all queries together
  std::vector<attention::Member> members = {};
  double defect = 0;  // the largest error of a column's sum
};

// Lines such as "query 3: 0.62 of keys 2 to 4, 0.38 of key 7", each with its end.
std::string written(const HeadStructure& structure);

// Gathers them from every head whose normaliser has some.
class StructureWatch final : public attention::Observer {
 public:
  Variable weights(const attention::ObservedWeights& observed) override;
  const std::vector<HeadStructure>& found() const { return found_; }

 private:
  std::vector<HeadStructure> found_;
};

}  // namespace heed::attend
