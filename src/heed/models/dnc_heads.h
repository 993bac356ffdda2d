// SPDX-License-Identifier: Apache-2.0
// Heads of a differentiable neural computer (Graves 2016): slots are found by content, by being
// free, and as those that were written before or after the ones that are read. Slots are written,
// then read.
//
// Letters: B sequences, N slots, R heads that read.
#pragma once

#include <memory>

#include "heed/models/turing_machine.h"

#pragma GCC visibility push(default)  // libheed calls it

namespace heed::models {

// What is kept of the usage [B,N] after a step: slots that were written fill up, and those that
// were read empty as far as their gates `free` [B,R] say,
//   u <- (u + w - u w) Π_r (1 - free_r read_r),
// with write [B,N] and reads [B,R,N] of the step before.
Variable usage_after(const Variable& usage, const Variable& write, const Variable& reads,
                     const Variable& free);

// links [B,N,N] and precedence [B,N] after slots were written with `write` [B,N]:
//   L_ij <- (1 - w_i - w_j) L_ij + w_i p_j, L_ii = 0,   p <- (1 - Σw) p + w.
struct WritingOrder {
  Variable links;
  Variable precedence;
};
WritingOrder order_after(const WritingOrder& order, const Variable& write);

// What was written after and before what is read: weights [B,R,N], links [B,N,N] -> [B,R,N].
Variable written_after(const Variable& weights, const Variable& links);
Variable written_before(const Variable& weights, const Variable& links);

class DncHeads {
 public:
  DncHeads(const TuringMachineOptions& options, Random& random);

  struct Written {
    Variable erase;  // [B,1,M]
    Variable add;    // [B,1,M]
  };
  // Writes and reads the state's memory as the controller says by h [B,C].
  void look_around(const Variable& h, const Written& written, TuringMachineState& state,
                   const Call& call) const;
  void visit(nn::ParameterVisitor& visitor);

 private:
  std::int64_t reads_;
  std::shared_ptr<attention::Attention> write_look_;
  std::shared_ptr<attention::Attention> read_look_;
  nn::Linear gates_;  // to write at all, to write to free slots, to free what each head has read
  nn::Linear modes_;  // of each head that reads: what was written before, what is alike, what after
};

}  // namespace heed::models

#pragma GCC visibility pop
