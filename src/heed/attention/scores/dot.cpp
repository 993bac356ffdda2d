// SPDX-License-Identifier: Apache-2.0
// dot: the product of query and key.
#include "heed/attention/score.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Dot {
  static Card card() {
    return {.name = "dot",
            .summary = "The product of query and key, which have the same width.",
            .formula = "q·k",
            .source = "Luong et al. 2015"};
  }
  void declare(Options&) {}
  void build(const ScoreShape& shape, Random&) {
    if (shape.query_width != shape.key_width) {
      throw UsageError("dot: queries of width {} and keys of width {}; they must be equal",
                       shape.query_width, shape.key_width);
    }
  }
  DotQuery dot_query(const Variable& query) const { return {query}; }
};

const ListedScore<Dot> kListed;

}  // namespace
}  // namespace heed::attention
