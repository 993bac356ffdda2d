// SPDX-License-Identifier: Apache-2.0
// Messages on widths and heads.
#include "heed/attention/compose/checks.h"

#include "heed/base/error.h"

namespace heed::attention {

void check_shape(const MechanismShape& shape) {
  if (shape.heads < 1 || shape.key_heads < 1 || shape.heads % shape.key_heads != 0) {
    throw UsageError(
        "mechanism: {} heads over {} key heads; the first must be a multiple of the second",
        shape.heads, shape.key_heads);
  }
  if (shape.query_width < 1 || shape.key_width < 1 || shape.value_width < 1) {
    throw UsageError("mechanism: widths of query {}, keys {} and values {}; each takes 1 or more",
                     shape.query_width, shape.key_width, shape.value_width);
  }
}

void check_keys(const MechanismShape& shape, const Variable& keys, const Variable& values) {
  if (keys.rank() == 4 && values.rank() == 4 && keys.size(0) == values.size(0) &&
      keys.size(1) == shape.key_heads && values.size(1) == shape.key_heads &&
      keys.size(2) == values.size(2) && keys.size(3) == shape.key_width) {
    return;
  }
  throw UsageError(
      "memory: keys {} and values {}; it takes [B,{},K,{}] and [B,{},K,D] with equal B and K",
      keys.shape().text(), values.shape().text(), shape.key_heads, shape.key_width,
      shape.key_heads);
}

}  // namespace heed::attention
