// SPDX-License-Identifier: Apache-2.0
// AttentionState: what a mechanism remembers from one step to the next. A value: passed in,
// returned, reordered by beams; nothing is remembered on the side.
#pragma once  // public header

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

struct AttentionState {
  std::int64_t step = 0;  // queries answered so far
  Variable previous;      // [B,H,K], the last step's weights; not defined before the first
  Variable coverage;      // [B,H,K], the sum of all past weights; not defined before the first
  // What parts remember themselves, of each group of heads one entry per score (alignment_rnn),
  // then one of a normaliser that goes on from query to query (monotone), [B,H,K,...] or not
  // defined; empty before the first step.
  Variables hidden;

  // The state after one more step with these weights [B,H,K]; hidden is left to the parts that own
  // it.
  AttentionState after(const Variable& weights) const;
  // The same state for other rows of the batch, one per entry of `rows`: beams that survive.
  AttentionState reordered(const Ids& rows) const;
  // The same state over a memory that has grown to `keys` keys: new keys have no past.
  AttentionState grown(std::int64_t keys) const;
  // The same state over the last `keys` keys of its memory, or over all where there are fewer; the
  // next query is step 0 of that memory.
  AttentionState last(std::int64_t keys) const;
  // The same values without what they were computed from.
  AttentionState detached() const;
};

}  // namespace heed::attention

#pragma GCC visibility pop
