// SPDX-License-Identifier: Apache-2.0
// The contract of encoders: from an input of any kind (tokens, pixels, points, facts) to states
// that any decoder can read.
//
// Letters: B inputs, S states of the longest, D features.
#pragma once  // public header

#include "heed/models/call.h"
#include "heed/nn/module.h"
#include "heed/nn/recurrent.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct EncoderStates {
  Variable states{};           // [B,S,D], what can be attended to
  Ids lengths{};               // [B], how many of them are not padding; not defined: all
  nn::RecurrentStates last{};  // of recurrent encoders: the last of each layer and direction
};

template <typename Input>
class Encoder {
 public:
  virtual ~Encoder() = default;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  virtual std::int64_t width() const = 0;  // D
  virtual EncoderStates operator()(const Input& input, const Call& call) const = 0;
};

}  // namespace heed::models

#pragma GCC visibility pop
