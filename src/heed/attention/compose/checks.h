// SPDX-License-Identifier: Apache-2.0
// What both forms of attention hold their shapes to.
#pragma once

#include "heed/attention/attention.h"

namespace heed::attention {

// UsageError unless widths and heads can be meant.
void check_shape(const MechanismShape& shape);
// The same unless keys [B,G,K,Dk] and values [B,G,K,Dv] go together and fit the shape.
void check_keys(const MechanismShape& shape, const Variable& keys, const Variable& values);

}  // namespace heed::attention
