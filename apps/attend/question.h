// SPDX-License-Identifier: Apache-2.0
// What a mechanism is asked: query, keys and values in heads, and the data that goes with them.
#pragma once

#include <string>
#include <vector>

#include "attend/tensors.h"
#include "heed/attention/memory.h"
#include "heed/attention/query_data.h"
#include "heed/nn/module.h"

namespace heed::attend {

struct Heads {
  std::int64_t query = 1;
  std::int64_t key = 1;
  bool given = false;
};

// "H" or "H,Hkv"; "" is one head that was not asked for.
Heads parse_heads(const std::string& text);

struct Question {
  int rank = 0;  // of the tensors in the file
  Heads heads;
  Variable query;   // [B,H,Q,Dq]
  Variable keys;    // [B,G,K,Dk]
  Variable values;  // [B,G,K,Dv]
  Variable w_o;     // [out, H*Dv], or not defined
  attention::KeyData key_data;
  attention::QueryData given;
  std::vector<nn::Parameter> leaves;  // what has a gradient, by the name of its tensor
};

// UsageError naming the tensor and where it comes from for shapes that do not go together and for
// numbers that cannot be meant.
Question read_question(AttendTensors& input, const Heads& heads);

}  // namespace heed::attend
