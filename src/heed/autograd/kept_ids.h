// SPDX-License-Identifier: Apache-2.0
// Ids as an op keeps them for its gradient.
#pragma once

#include "heed/autograd/variable.h"

namespace heed {

// A copy while ops are recorded, since the caller may fill the next batch before backward reads
// them; else the ids themselves, contiguous. Ids that are not defined stay so.
inline Ids kept_ids(const Ids& ids) {
  return recording() && ids.defined() ? ids.clone() : ids.packed();
}

}  // namespace heed
