// SPDX-License-Identifier: Apache-2.0
// scaled_dot: the product of query and key, scaled so that its deviation does not grow with the
// width.
#include <cmath>

#include "heed/attention/score.h"
#include "heed/base/error.h"

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
  void build(const ScoreShape& shape, Random&) {
    if (shape.query_width != shape.key_width) {
      throw UsageError("scaled_dot: queries of width {} and keys of width {}; they must be equal",
                       shape.query_width, shape.key_width);
    }
  }
  DotQuery dot_query(const Variable& query) const {
    const double factor = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(query.size(3)));
    return {query, static_cast<Real>(factor)};
  }
};

const ListedScore<ScaledDot> kListed;

}  // namespace
}  // namespace heed::attention
