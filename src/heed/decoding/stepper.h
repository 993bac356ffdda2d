// SPDX-License-Identifier: Apache-2.0
// Stepper: what a search asks of whatever produces tokens, be it a translator, several of them, or
// a language model.
#pragma once  // public header

#include <cstdint>

#include "heed/attention/observer.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

// Letters: N hypotheses, V vocabulary. A search begins with one hypothesis per sentence.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual std::int64_t rows() const = 0;  // hypotheses it has
  // Reads the last token of every hypothesis [N] (text::kBegin at first) and gives the
  // log-probabilities of the next [N,V], in memory the search may overwrite. Attentions are
  // shown to `watch` unless it is nullptr: the same sites in the same order at every step.
  virtual Tensor step(const Ids& tokens, attention::Observer* watch) = 0;
  // Continues with these hypotheses, one per entry of `rows`: repeated, in another order, or left
  // out.
  virtual void reorder(const Ids& rows) = 0;
  // The tokens of the source that each hypothesis renders [N], its end included; not defined: there
  // is no source.
  virtual Ids source_lengths() const { return {}; }
  // The most tokens a hypothesis may have; 0: any.
  virtual std::int64_t longest() const { return 0; }
};

}  // namespace heed::decoding

#pragma GCC visibility pop
