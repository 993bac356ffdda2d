// SPDX-License-Identifier: Apache-2.0
// What a matrix of attention says of a translation without a reference: whether it covered the
// source, and how sure it looked (Rikters & Fishel 2017, "Confidence through Attention").
//
// With a_ij the weight of target token i for source token j, I and J tokens, H the entropy:
//
//   coverage   = 1/J sum over j of min(1, sum over i of a_ij)
//   deviation  = -1/J sum over j of log(1 + (1 - sum over i of a_ij)^2)
//   target dispersion = -1/I sum over i of H(a_i.)
//   source dispersion = -1/J sum over j of H(a_.j / sum over i of a_ij)
//   confidence = deviation + target dispersion + source dispersion
//
// The last four are penalties: 0 at best, when each token looks at one token and each is looked at
// once.
#pragma once  // public header

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct AttentionQuality {
  double coverage = 0;           // 0 to 1
  double deviation = 0;          // "coverage deviation penalty"
  double target_dispersion = 0;  // "absentmindedness penalty" of the output
  double source_dispersion = 0;  // and of the input

  double confidence() const { return deviation + target_dispersion + source_dispersion; }
};

// weights [I,J]; masked cells count as 0. All 0 for a matrix without a cell.
AttentionQuality attention_quality(const Tensor& weights);

}  // namespace heed::insight

#pragma GCC visibility pop
