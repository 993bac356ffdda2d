// SPDX-License-Identifier: Apache-2.0
// Where continuous attention has its density from: the mean and covariance of a discrete attention
// over the cells, or a layer over the query and the mean of the keys. Letters as in score.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "heed/attention/whole.h"
#include "heed/attention/whole/density_weights.h"

namespace heed::attention {

// The score of the discrete attention, as it is written. UsageError for one that looks back.
class OfScore {
 public:
  std::string text() const { return written_; }
  void read(const std::string& written);

 private:
  std::string written_ = "additive";
};

// Its normaliser. UsageError unless it weighs each query alone, without chance, and its weights
// are none below 0 and add up to 1.
class OfDistribution {
 public:
  std::string text() const { return written_; }
  void read(const std::string& written);

 private:
  std::string written_ = "softmax";
};

class DensitySource {
 public:
  enum class From { weights, query };
  From from = From::weights;
  OfScore score{};
  OfDistribution normaliser{};

  DensitySource() = default;
  DensitySource(const DensitySource& other) { *this = other; }
  DensitySource& operator=(const DensitySource& other);

  void declare(Options& options);
  void build(const MechanismShape& shape, std::size_t moments, Random& random);
  void visit(nn::ParameterVisitor& visitor);

  // [B,H,Q,M]
  Variable moments(const WholeCall& call, const CellsSeen& cells) const;

 private:
  Variable from_weights(const WholeCall& call, const CellsSeen& cells) const;
  Variable from_query(const WholeCall& call) const;

  std::unique_ptr<Attention> discrete_{};
  Variable w_{};  // [M,Dq+Dk] or [H,M,Dq+Dk]
  Variable b_{};  // [M] or [H,M]
};

// What both mechanisms do with it.
WholeWeighed weigh_by_density(const DensitySource& source,
                              const std::shared_ptr<const ValueBasis>& basis,
                              const WholeCall& call);

}  // namespace heed::attention
