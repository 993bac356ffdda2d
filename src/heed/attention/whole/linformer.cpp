// SPDX-License-Identifier: Apache-2.0
// Linformer: keys and values of all positions are mixed into a few, by maps that are learnt, and
// queries attend to these.
#include <cmath>

#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Linformer {
  static constexpr bool kMixesKeys = true;

  std::int64_t rank = 64;
  std::int64_t length = 512;
  Variable E, F;  // [length,rank], the same for all heads

  static Card card() {
    return {.name = "linformer",
            .summary =
                "Keys and values are mixed into a few by learnt maps of their positions, and "
                "queries attend to these: time and memory grow with the length.",
            .formula = "softmax(q (Eᵀ K)ᵀ / √d) Fᵀ V, E and F [length, rank]; hidden keys are zero",
            .source = "Wang et al. 2020",
            .examples = {"rank=3, length=16"}};
  }
  void declare(Options& options) {
    options.add("rank", rank, "mixed keys and values").range(1, 65536);
    options.add("length", length, "the most keys there may be").range(1, 1 << 24);
  }
  void build(const MechanismShape& shape, Random& random) {
    require_equal_widths("linformer", shape);
    const auto deviation = static_cast<Real>(1 / std::sqrt(static_cast<double>(rank)));
    E = nn::parameter(nn::normal({length, rank}, random, 0, deviation));
    F = nn::parameter(nn::normal({length, rank}, random, 0, deviation));
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("E", E);
    visitor("F", F);
  }

  Variable context(const WholeCall& call) const {
    const SeenKeys seen = seen_keys(call);
    return softmax_context({.query = call.query,
                            .keys = mixed(E, seen.keys),
                            .values = mixed(F, seen.values),
                            .pattern = mixed_keys(call)});
  }
  Variable weights(const WholeCall& call) const {
    const Variable of_mixed = softmax_matrix({.query = call.query,
                                              .keys = mixed(E, seen_keys(call).keys),
                                              .values = {},
                                              .pattern = mixed_keys(call)});
    const Variable back = slice(F, 0, 0, call.memory.keys.size(2));
    return where_seen(seen_matrix(call), matmul(of_mixed, transpose(back)));
  }

 private:
  // x [B,G,K,D] -> [B,G,rank,D]
  Variable mixed(const Variable& by, const Variable& x) const {
    const std::int64_t count = x.size(2);
    if (count > length) {
      throw UsageError("linformer: {} keys; length is {}, set it to the most there will be", count,
                       length);
    }
    return matmul(transpose(slice(by, 0, 0, count)), x);
  }
  // All of them, for queries that see anything.
  std::shared_ptr<const BoundPattern> mixed_keys(const WholeCall& call) const {
    std::vector<std::int64_t> count;
    for (const std::int64_t seen : call.visible) count.push_back(seen > 0 ? rank : 0);
    return pattern_of_first(std::move(count), call.query.size(2));
  }
};

const ListedWhole<Linformer> kListed;

}  // namespace
}  // namespace heed::attention
