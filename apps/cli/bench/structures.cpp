// SPDX-License-Identifier: Apache-2.0
// Normalisers of whole tables, forward and backward: trees, monotone alignments, matchings.
#include <memory>
#include <vector>

#include "cli/bench/harness.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/normalise.h"
#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

struct TableCase {
  const char* name;
  const char* written;
  std::int64_t words;
  Real deviation;
};
// With scores that far apart doubles do not hold the sums over trees, and slower numbers do.
constexpr TableCase kTableCases[] = {
    {"tree_30", "tree", 30, 1},
    {"tree_far_apart_30", "tree", 30, 40},
    {"tree_any_30", "tree(projective=false)", 30, 1},
    {"tree_any_far_apart_30", "tree(projective=false)", 30, 300},
    {"monotone_30", "monotone", 30, 1},
    {"monotone_filter_30", "monotone(filter=true)", 30, 1},
    {"sinkhorn_30", "sinkhorn", 30, 1},
    {"sinkhorn_at_most_30", "sinkhorn(columns=at-most)", 30, 1},
};

// One table of normal scores on one thread: its weights, and the gradient of their squares.
std::vector<BenchRow> structures() {
  std::vector<BenchRow> rows;
  const ThreadScope scope(1);
  for (const TableCase& each : kTableCases) {
    const auto part = attention::make_part<attention::Normaliser>(
        attention::parse_part(each.written), each.written);
    Random random(1);
    Tensor scores({each.words, each.words});
    fill_normal({scores.mutable_data(), static_cast<std::size_t>(scores.size())}, random);
    for (std::int64_t i = 0; i < scores.size(); ++i) scores.mutable_data()[i] *= each.deviation;
    const double bytes = sizeof(Real) * static_cast<double>(scores.size());
    rows.push_back(measure(each.name, {.bytes = 4 * bytes}, [&] {
      const Variable leaf = Variable::leaf(scores);
      backward(sum(square(attention::normalise(*part, leaf))));
    }));
  }
  return rows;
}

const ListedBenchmark kStructures({"structures", "trees, alignments and matchings", structures});

}  // namespace
}  // namespace heed::cli
