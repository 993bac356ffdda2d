// SPDX-License-Identifier: Apache-2.0
// Each call draws its own stream from the noise, so no two calls share a mask.
#include "heed/nn/dropout.h"

namespace heed::nn {
namespace {

DropoutMask next_mask(Real probability, Random& noise) {
  return {.probability = probability, .seed = noise.seed(), .stream = noise.next_u64()};
}

}  // namespace

Variable Dropout::operator()(const Variable& x, Noise noise) const {
  if (noise == nullptr || probability == 0) return x;
  return dropout(x, next_mask(probability, *noise));
}

Variable Dropout::locked(const Variable& x, Noise noise) const {
  if (noise == nullptr || probability == 0) return x;
  return locked_dropout(x, next_mask(probability, *noise));
}

}  // namespace heed::nn
