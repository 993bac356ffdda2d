// SPDX-License-Identifier: Apache-2.0
// relative_buckets: a learnt number for each distance, far distances sharing one.
#include <algorithm>
#include <cmath>

#include "heed/attention/bias.h"
#include "heed/attention/biases/relative.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct RelativeBuckets {
  std::int64_t buckets = 32;
  std::int64_t distance = 128;
  bool bidirectional = true;
  Variable table;  // [buckets] or [H,buckets]

  static Card card() {
    return {.name = "relative_buckets",
            .summary =
                "A learnt number for each distance between query and key; near distances "
                "have one each, far ones share in logarithmic steps.",
            .formula = "s + table[bucket(j - i)]",
            .source = "Raffel et al. 2020 (T5)",
            .examples = {"buckets=6, distance=4", "buckets=4, distance=4, bidirectional=false"}};
  }
  void declare(Options& options) {
    options.add("buckets", buckets, "learnt numbers per head").range(4, 65536);
    options.add("distance", distance, "from here on all distances share the last bucket")
        .range(2, 1 << 24);
    options.add("bidirectional", bidirectional,
                "half of the buckets for keys after the query; otherwise these share bucket 0");
  }
  void build(const BiasShape& shape, Random& random) {
    const std::int64_t side = bidirectional ? buckets / 2 : buckets;
    if (bidirectional && buckets % 2 != 0) {
      throw UsageError("relative_buckets: {} buckets; two directions take an even number", buckets);
    }
    if (distance <= side / 2) {
      throw UsageError("relative_buckets: distance {} with {} buckets; it takes more than {}",
                       distance, buckets, side / 2);
    }
    table =
        head_parameter(shape.heads, [&] { return nn::normal({buckets}, random, 0, Real(0.02)); });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("table", table); }

  // Half of a side's buckets hold one distance each; the others grow by a constant factor up to
  // `distance`.
  std::int64_t bucket(std::int64_t offset) const {
    const std::int64_t side = bidirectional ? buckets / 2 : buckets;
    const std::int64_t first = bidirectional && offset > 0 ? side : 0;
    const std::int64_t away = bidirectional ? std::abs(offset) : std::max<std::int64_t>(-offset, 0);
    const std::int64_t exact = side / 2;
    if (away < exact) return first + away;
    const double growth = std::log(static_cast<double>(away) / static_cast<double>(exact)) /
                          std::log(static_cast<double>(distance) / static_cast<double>(exact));
    const auto further = static_cast<std::int64_t>(growth * static_cast<double>(side - exact));
    return first + std::min(exact + further, side - 1);
  }
  TileChange tile_change(const BiasCall& call) const {
    const Offsets offsets(call.first_query, call.queries(), call.key_count(), buckets,
                          [this](std::int64_t offset) { return bucket(offset); });
    return add_lines(offset_lines(table, call.heads(), offsets), call.queries());
  }
};

const ListedBias<RelativeBuckets> kListed;

}  // namespace
}  // namespace heed::attention
