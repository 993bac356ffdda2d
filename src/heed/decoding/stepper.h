// SPDX-License-Identifier: Apache-2.0
// Stepper: what a search asks of whatever produces tokens, be it a translator, several of them, or
// a language model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/tensor/tensor.h"

namespace heed::decoding {

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual std::int64_t rows() const = 0;        // hypotheses it stands at
  virtual std::int64_t vocabulary() const = 0;  // V
  // Reads the last token of every hypothesis [N] and gives the log-probabilities of the next [N,V],
  // in memory the search may overwrite. Attentions go to `trace` unless it is nullptr.
  virtual Tensor step(const Ids& tokens, attention::Trace* trace) = 0;
  // Goes on with these hypotheses, one per entry of `rows`: repeated, in another order, or left
  // out.
  virtual void reorder(const Ids& rows) = 0;
};

}  // namespace heed::decoding
