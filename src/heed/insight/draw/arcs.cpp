// SPDX-License-Identifier: Apache-2.0
// Rows are read one by one; whether they form a tree is for the eye to see.
#include "heed/insight/draw/arcs.h"

#include <cmath>
#include <string>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

const AttentionSet& self_set_of(const TracedExample& example, const std::string& kind) {
  std::vector<std::string> fitting;
  for (const AttentionSet& set : example.attentions) {
    if (set.queries == set.keys) fitting.push_back(set.kind);
  }
  const bool named = !kind.empty() || fitting.empty();
  const AttentionSet& set = set_of(example, named ? kind : fitting.front());
  if (set.queries == set.keys) return set;
  throw UsageError("arcs join the words of one text, and set '{}' looks from '{}' at '{}'; {}",
                   set.kind, set.queries, set.keys,
                   fitting.empty() ? "this trace has no set that would do: take another form"
                                   : "choose the set " + join(fitting, " or "));
}

}  // namespace

double arc_share(const MatrixViewOptions& options) {
  return options.threshold > 0 ? 0 : kArcShare;
}

std::vector<ViewArc> arcs_of(const MatrixView& view, double share) {
  const std::int64_t words = view.weights.size(0);
  if (view.weights.size(1) != words) {
    throw UsageError("arcs: weights {}; they take as many keys as queries",
                     view.weights.shape().text());
  }
  const std::vector<Real> values = view.weights.values();
  std::vector<ViewArc> arcs;
  for (std::int64_t q = 0; q < words; ++q) {
    const auto weight = [&](std::int64_t k) {
      const double value = values[static_cast<std::size_t>(q * words + k)];
      return std::isnan(value) ? 0 : value;
    };
    double whole = 0;
    std::int64_t heaviest = 0;
    for (std::int64_t k = 0; k < words; ++k) {
      whole += weight(k);
      if (weight(k) > weight(heaviest)) heaviest = k;
    }
    if (whole <= 0) continue;
    arcs.push_back({q, heaviest, weight(heaviest), true});
    for (std::int64_t k = 0; k < words; ++k) {
      if (k != heaviest && weight(k) > 0 && weight(k) >= share * whole) {
        arcs.push_back({q, k, weight(k), false});
      }
    }
  }
  return arcs;
}

MatrixView arcs_view(const TracedExample& example, const MatrixViewOptions& options) {
  MatrixViewOptions chosen = options;
  chosen.set = self_set_of(example, options.set).kind;
  return matrix_view(example, chosen);
}

}  // namespace heed::insight
