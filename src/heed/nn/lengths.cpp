// SPDX-License-Identifier: Apache-2.0
// Padding is left out by selection, never by a product: 0 times NaN is NaN.
#include "heed/nn/lengths.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::nn {

std::int64_t length_of(const Ids& lengths, std::int64_t sequence, std::int64_t keys) {
  if (!lengths.defined()) return keys;
  return std::min<std::int64_t>(lengths.at({sequence}), keys);
}

Variable without_padding(const Variable& x, const Ids& lengths) {
  const std::int64_t batch = x.size(0), keys = x.size(2);
  Tensor kept = Tensor::zeros({batch, 1, keys, 1});
  bool padded = false;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t length = length_of(lengths, b, keys);
    std::fill_n(kept.mutable_data() + b * keys, length, Real{1});
    padded = padded || length < keys;
  }
  return padded ? where(kept, x, Variable(Tensor::zeros({1, 1, 1, 1}))) : x;
}

void check_lengths(const char* part, const Ids& lengths, std::int64_t batch, std::int64_t keys) {
  if (!lengths.defined()) return;
  if (lengths.shape() != Shape{batch}) {
    throw UsageError("{}: lengths {}; it takes one per sequence, [{}]", part,
                     lengths.shape().text(), batch);
  }
  for (const std::int32_t length : lengths.values()) {
    if (length < 0 || length > keys) {
      throw UsageError("{}: a length is {}; it takes 0 to {}, as many as there are keys", part,
                       length, keys);
    }
  }
}

}  // namespace heed::nn
