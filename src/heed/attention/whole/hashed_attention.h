// SPDX-License-Identifier: Apache-2.0
// Attention over hashed keys: the op, and the composition that it equals.
#pragma once

#include <memory>

#include "heed/attention/whole/hashing.h"

namespace heed::attention {

// [B,H,Q,Dv]: softmax over the keys that share a bucket with the query in any round, each round by
// the fused kernel on sorted rows; keys [B,G,K,D] as they are to be multiplied.
Variable hashed_context(const std::shared_ptr<const HashedKeys>& hashed, const WholeCall& call,
                        const Variable& keys, const Variable& values);
// [B,H,Q,K], the matrix it stands for.
Variable hashed_weights(const std::shared_ptr<const HashedKeys>& hashed, const WholeCall& call,
                        const Variable& keys);

}  // namespace heed::attention
