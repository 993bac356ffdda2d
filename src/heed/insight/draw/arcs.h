// SPDX-License-Identifier: Apache-2.0
// Arcs: where a text looks at itself, the heads that each word hangs on, its likeliest one marked.
//
// Every row asks for the head of its word, as the normaliser `tree` has it: the heaviest key is the
// likeliest head, and a word's weight on itself is that of the root.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/insight/draw/matrix_view.h"

namespace heed::insight {

struct ViewArc {
  std::int64_t dependant = 0;  // the query
  std::int64_t head = 0;       // the key; the dependant's own number stands for the root
  double weight = 0;
  bool likeliest = false;  // of those that the dependant has

  bool from_root() const { return head == dependant; }
};

// The share of a word's weight that an arc beside the likeliest must hold to be drawn, unless a
// threshold says what is left out.
inline constexpr double kArcShare = .1;
double arc_share(const MatrixViewOptions& options);

// For each word its heaviest key, the first of equals, then the others that hold at least this
// share of its weight in the order of keys; nothing that is zero or masked.
std::vector<ViewArc> arcs_of(const MatrixView& view, double share = kArcShare);

// matrix_view() of an attention whose queries and keys are the same strip: of the set that is
// named, or of the first such. UsageError for another set, which names those that would do.
MatrixView arcs_view(const TracedExample& example, const MatrixViewOptions& options = {});

}  // namespace heed::insight
