// SPDX-License-Identifier: Apache-2.0
// scaled_dot: the product of query and key, scaled so that its deviation does not grow with the
// width.
#include <cmath>

#include "heed/attention/score.h"

namespace heed::attention {
namespace {

struct ScaledDot {
  double scale = 0;

  static Card card() {
    return {.name = "scaled_dot",
            .summary = "The product of query and key, divided by the root of their width.",
            .formula = "q·k/√D, or scale·q·k",
            .source = "Vaswani et al. 2017",
            .examples = {"scale=0.7"}};
  }
  void declare(Options& options) {
    options.add("scale", scale, "what to multiply with; 0: one over the root of the key width");
  }
  void build(const ScoreShape& shape, Random&) { require_equal_widths("scaled_dot", shape); }
  DotQuery dot_query(const Variable& query) const {
    const double factor = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(query.size(3)));
    return {query, static_cast<Real>(factor)};
  }
};

const ListedScore<ScaledDot> kListed;

}  // namespace
}  // namespace heed::attention
