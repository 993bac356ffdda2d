// SPDX-License-Identifier: Apache-2.0
// What a mechanism answers: context, weights, scores and, where gradients are given for them,
// gradients of everything that was asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "attend/question.h"
#include "attend/structures.h"

namespace heed::attend {

struct Asked {
  std::string spec = {};                   // scores + biases | pattern | normaliser
  std::optional<std::uint64_t> init = {};  // draws the parameters that the input lacks
  bool structures = false;
};

struct Answer {
  std::map<std::string, Tensor> tensors = {};  // by name, in the rank of the input
  Tensor weights = {};                         // [B,H,Q,K]
  std::vector<HeadStructure> structures = {};  // where they were asked for, and there are any

  // Left out where it is not defined.
  void add(const std::string& name, const Tensor& value);
};

// UsageError for a mechanism that cannot be read, and for tensors that it misses or that do not fit
// it.
Answer answer(AttendTensors& input, Question question, const Asked& asked);

}  // namespace heed::attend
