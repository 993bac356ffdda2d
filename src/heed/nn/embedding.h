// SPDX-License-Identifier: Apache-2.0
// Embedding: a learned row for each id.
#pragma once  // public header

#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

struct Embedding {
  Variable weight;            // [words, width]
  std::int32_t padding = -1;  // this id reads as zeros and is never trained; -1: none

  Embedding() = default;
  // Normal with deviation 1 / sqrt(width), so that a row has length about one.
  Embedding(std::int64_t words, std::int64_t width, Random& random, std::int32_t padding = -1);

  // ids [...] -> [..., width]
  Variable operator()(const Ids& ids) const { return embedding(weight, ids, padding); }
  void visit(ParameterVisitor& visitor) { visitor("weight", weight); }
};

}  // namespace heed::nn

#pragma GCC visibility pop
