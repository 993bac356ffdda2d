// SPDX-License-Identifier: Apache-2.0
// Packing: batches without padding, the tokens of sequences of unequal length one after the other
// without their padding, for layers that see one token at a time.
//
// Letters: B sequences, T the longest, N tokens in all, D width.
#pragma once

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

class Packing {
 public:
  // None: packed and spread give back what they get, and everything stays [B,T,D].
  Packing() = default;
  // lengths [B]; longer ones end at `longest`
  Packing(const Ids& lengths, std::int64_t longest);

  bool defined() const { return places_.defined(); }
  Variable packed(const Variable& x) const;  // [B,T,D] -> [N,D]
  Variable spread(const Variable& x) const;  // [N,D] -> [B,T,D], zeros for padding

 private:
  Ids places_;  // [N], where each token is in [B*T]
  Ids tokens_;  // [B,T], which token is there; -1: padding
};

// The packing of these lengths where it saves more than moving the tokens costs, else none.
// lengths [B], or not defined: all `longest`
Packing worthwhile_packing(const Ids& lengths, std::int64_t longest);

}  // namespace heed::nn

#pragma GCC visibility pop
