// SPDX-License-Identifier: Apache-2.0
// Sparse Sinkhorn attention: blocks of keys are sorted by a network that is learnt, and each query
// sees its own block and the one sorted to it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/compose/head_weights.h"
#include "heed/attention/patterns/run_list.h"
#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct SinkhornBlocks {
  static constexpr bool kMixesKeys = true;

  std::int64_t block = 64;
  std::int64_t blocks = 64;
  int iterations = 8;
  double temperature = 0.75;
  Variable W;  // [blocks,D] or [G,blocks,D]

  static Card card() {
    return {.name = "sinkhorn_blocks",
            .summary =
                "Each query sees the block of keys it is in, and one that is a mixture of blocks, "
                "nearly a permutation of them: the sums of the keys of each say where it goes.",
            .formula =
                "softmax(q [K_b; K′_b]ᵀ / √d) [V_b; V′_b], K′_b = Σ_c R_bc K_c, V′ likewise, "
                "R = Sinkhorn(exp(W Σ_{j in b} k_j / T)), noise of Gumbel added in training",
            .source = "Tay, Bahri, Yang, Metzler & Juan 2020",
            .examples = {"size=2, blocks=8", "size=4, blocks=3, iterations=3, temperature=1.0"}};
  }
  void declare(Options& options) {
    options.add("size", block, "keys of a block").range(1, 1 << 20);
    options.add("blocks", blocks, "the most blocks there may be").range(1, 1 << 16);
    options.add("iterations", iterations, "of normalising rows and columns").range(1, 1000);
    options.add("temperature", temperature, "T: lower is nearer to a permutation").range(1e-3, 1e3);
  }
  void build(const MechanismShape& shape, Random& random) {
    require_equal_widths("sinkhorn_blocks", shape);
    // Of sums over a block of keys whose numbers are about 1.
    const auto deviation = static_cast<Real>(
        1 / std::sqrt(static_cast<double>(shape.key_width) * static_cast<double>(block)));
    W = head_parameter(shape.key_heads, [&] {
      return nn::normal({blocks, shape.key_width}, random, 0, deviation);
    });
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("W", W); }

  Variable context(const WholeCall& call) const {
    const Sorted of = sorted(call);
    return softmax_context({call.query, of.keys, of.values, pattern(call)});
  }
  Variable weights(const WholeCall& call) const {
    const Sorted of = sorted(call);
    const std::int64_t batch = call.query.size(0), heads = call.query.size(1),
                       queries = call.query.size(2), count = of.shares.size(2),
                       keys = call.memory.keys.size(2);
    const Variable joined = reshape(softmax_matrix({call.query, of.keys, of.values, pattern(call)}),
                                    {batch, heads, queries, count, 2, block});
    // Σ_b weight[b, t] R_bc is what key t of block c has of the sorted blocks.
    const Variable mixed = transpose(
        matmul(transpose(select(joined, 4, 1)),
               reshape(for_each_head(of.shares, heads), {batch, heads, 1, count, count})));
    const Variable all = reshape(select(joined, 4, 0) + mixed, {batch, heads, queries, -1});
    return where_seen(seen_matrix(call), slice(all, 3, 0, keys));
  }

 private:
  struct Sorted {
    Variable keys, values;  // [B,G,N·2·block,D]: each block, then the one sorted to it
    Variable shares;        // R [B,G,N,N]
  };

  std::int64_t blocks_of(std::int64_t keys) const { return (keys + block - 1) / block; }

  Sorted sorted(const WholeCall& call) const {
    const SeenKeys seen = seen_keys(call);
    const std::int64_t batch = seen.keys.size(0), heads = seen.keys.size(1),
                       keys = seen.keys.size(2), count = blocks_of(keys);
    if (count > blocks) {
      throw UsageError(
          "sinkhorn_blocks: {} keys are {} blocks of {}; blocks is {}, set it to the most there "
          "will be",
          keys, count, block, blocks);
    }
    const auto cut = [&](const Variable& x) {
      return reshape(pad(x, 2, {.before = 0, .after = count * block - keys}),
                     {batch, heads, count, block, x.size(3)});
    };
    const Variable own = cut(seen.keys), own_values = cut(seen.values);
    Variable logits = project_heads(sum(own, 3), slice(W, -2, 0, count));  // [B,G,N,N]
    if (call.noise != nullptr) logits = logits + gumbel(logits.shape(), *call.noise);
    const Variable shares = balanced(logits * static_cast<Real>(1 / temperature), call);
    const auto beside = [&](const Variable& x) {
      const Variable flat = reshape(x, {batch, heads, count, block * x.size(4)});
      const Variable moved = reshape(matmul(shares, flat), x.shape());
      return reshape(stack(Variables{x, moved}, 3), {batch, heads, 2 * count * block, x.size(4)});
    };
    return {beside(own), beside(own_values), shares};
  }

  // R of each sequence's own blocks, zeros beyond them.
  Variable balanced(const Variable& logits, const WholeCall& call) const {
    const std::int64_t all = logits.size(2);
    const auto of = [&](const Variable& x) {
      Variable logarithm = x;
      for (int i = 0; i < iterations; ++i) {
        logarithm = log_softmax(log_softmax(logarithm, 3), 2);
      }
      return exp(logarithm);
    };
    std::vector<std::int64_t> counts;
    for (const std::int64_t keys : most_seen(call)) counts.push_back(blocks_of(keys));
    if (std::ranges::all_of(counts, [&](std::int64_t n) { return n == all; })) return of(logits);
    Variables each;
    for (std::size_t b = 0; b < counts.size(); ++b) {
      const auto row = static_cast<std::int64_t>(b);
      const std::int64_t own = counts[b];
      const Variable part = slice(slice(slice(logits, 0, row, row + 1), 2, 0, own), 3, 0, own);
      const Padding rest{.before = 0, .after = all - own};
      each.push_back(own == 0 ? Variable(Tensor::zeros(logits.shape().with(0, 1)))
                              : pad(pad(of(part), 2, rest), 3, rest));
    }
    return concat(each, 0);
  }

  static Variable gumbel(const Shape& shape, Random& noise) {
    Tensor found(shape);
    for (std::int64_t i = 0; i < found.size(); ++i) {
      const double u = noise.uniform<double>();
      found.mutable_data()[i] = static_cast<Real>(-std::log(-std::log(u + 1e-20) + 1e-20));
    }
    return found;
  }

  // A query sees what its block holds, and of the one sorted to it as much as any block holds.
  std::shared_ptr<const BoundPattern> pattern(const WholeCall& call) const {
    return pattern_of_rows(
        {call.query.size(0), 1, call.query.size(2)},
        [block = block, visible = call.visible, first = call.first, queries = call.query.size(2)](
            std::int64_t batch, std::int64_t, std::int64_t query, std::vector<KeyRun>& runs) {
          runs.clear();
          const std::int64_t keys = visible[static_cast<std::size_t>(batch * queries + query)];
          const std::int64_t begin =
              (first[static_cast<std::size_t>(batch)] + query) / block * block;
          if (keys <= begin) return;
          append_run(runs, {2 * begin, 2 * begin + std::min(block, keys - begin), 1});
          append_run(runs, {2 * begin + block, 2 * begin + block + std::min(block, keys), 1});
        });
  }
};

const ListedWhole<SinkhornBlocks> kListed;

}  // namespace
}  // namespace heed::attention
