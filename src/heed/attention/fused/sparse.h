// SPDX-License-Identifier: Apache-2.0
// Attention by dot products and a normaliser with exact zeros in one kernel, equal to the
// composition beside it; the work of its gradient is that of the support.
#pragma once

#include <memory>
#include <optional>

#include "heed/attention/fused/operands.h"
#include "heed/attention/normaliser.h"

namespace heed::attention {

struct SparseInputs {
  FusedInputs common;
  std::shared_ptr<const Normaliser> normaliser;  // one whose fused() is not softmax
  Variable parameters{};                         // [H,P], its learnable values; not defined: none
};

// context [B,H,Q,V], laid out in memory as the query is. nullopt where it is not finite, as for
// dense_attention.
std::optional<Variable> sparse_attention(const SparseInputs& inputs);

// The same by matrices of the size Q x K.
Variable composed_sparse(const SparseInputs& inputs);

}  // namespace heed::attention
