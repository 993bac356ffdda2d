// SPDX-License-Identifier: Apache-2.0
// AttentionPath: the weights behind one finished output, gathered along the rows its hypothesis
// passed through while beams were repeated, moved and dropped around it.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {

// Letters: H heads, T tokens written (the end included), K keys.
struct AttentionPath {
  attention::Site site{};
  Tensor weights{};  // [H,T,K], attention::kMasked for keys a token could not see, or not yet
};

// Where an output passed.
struct HypothesisRows {
  std::span<const attention::Trace> steps;  // what each step of the search left
  std::span<const std::int32_t> rows;       // token i was chosen in this row of step i
  std::int64_t source_length = 0;           // keys over the source that are not padding; 0: all
};

// One path per site, in the order the model visits them. InternalError when the steps disagree.
std::vector<AttentionPath> follow(const HypothesisRows& passage);

// The same where one call left all steps: one path per site of row `row`. What a site left
// continues where it ended before; if it starts again, as when several models read one source, that
// is another path.
std::vector<AttentionPath> paths_of(const attention::Trace& trace, std::int64_t row);

// The first `queries` and `keys` of a path: the others are padding.
AttentionPath cut(const AttentionPath& path, std::int64_t queries, std::int64_t keys);

// How much each source token [K] was looked at in all: its weights, averaged over the heads of all
// cross sites, added over the tokens written. Empty without a cross site.
std::vector<double> coverage(const HypothesisRows& passage);

}  // namespace heed::decoding

#pragma GCC visibility pop
