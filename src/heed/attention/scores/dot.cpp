// SPDX-License-Identifier: Apache-2.0
// dot: the product of query and key.
#include "heed/attention/score.h"

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
  void build(const ScoreShape& shape, Random&) { require_equal_widths("dot", shape); }
  DotQuery dot_query(const Variable& query) const { return {query}; }
};

const ListedScore<Dot> kListed;

}  // namespace
}  // namespace heed::attention
