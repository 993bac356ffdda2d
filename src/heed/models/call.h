// SPDX-License-Identifier: Apache-2.0
// What every call of a model may be given besides its input.
#pragma once  // public header

#include "heed/attention/observer.h"
#include "heed/nn/dropout.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct Call {
  nn::Noise noise = nullptr;  // of dropout; nullptr: none, as at inference
  // Sees every attention by its site and, where it asks, hidden states; may change both.
  attention::Observer* watch = nullptr;
};

}  // namespace heed::models

#pragma GCC visibility pop
