// SPDX-License-Identifier: Apache-2.0
// Token sequences of a batch as models read them: padded, each with its length.
//
// Letters: B sequences, S or T tokens of the longest.
#pragma once  // public header

#include "heed/autograd/variable.h"
#include "heed/text/batch.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// Sequences side by side, each ending with text::kEnd.
struct Sequences {
  Ids ids;      // [B,S], padded
  Ids lengths;  // [B], each at least 1
  // [B,S], where several texts are read as one: which of them each token is of. Not defined: all
  // of the first.
  Ids segments{};
};
Sequences sequences(const text::TokenRows& rows);

// x [T,B,D] -> [B,T,D]
Variable by_sentence(const Variable& x);
// The places of tokens in the flattened ids [B*T], padding left out: [sum of lengths].
Ids token_places(const Sequences& sequences);
// The targets of a decoder's rows: the tokens at these places.
Ids packed_targets(const Sequences& target);
// What a decoder has read before each target token [B,T]: text::kBegin, then all but the last
// (teacher forcing).
Ids shifted(const Ids& target);
// UsageError naming the model unless ids and lengths fit each other and `longest` (0: any).
void check_sequences(const char* model, const Sequences& sequences, std::int64_t longest);

}  // namespace heed::models

#pragma GCC visibility pop
