// SPDX-License-Identifier: Apache-2.0
// Tree: every word of a sentence asks for its head, and all weights together are those of the
// dependency trees that the heads form.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/attention/normalisers/best_tree.h"
#include "heed/attention/normalisers/present_table.h"
#include "heed/attention/normalisers/shifted_scores.h"
#include "heed/attention/normalisers/tree_sums.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct Sentence {
  PresentTable words;
  ShiftedScores shifted;

  explicit Sentence(PresentTable table)
      : words(std::move(table)), shifted(words.scores(), words.columns()) {}
};

struct Tree {
  bool projective = true;
  Roots roots = Roots::one;

  static Card card() {
    return {
        .name = "tree",
        .summary =
            "Every word's share of each head, and of the root as its own key, over all dependency "
            "trees of the sentence.",
        .formula = "P_dh = Σ over trees with h → d of exp(Σ z) / Σ over all trees of exp(Σ z)",
        .source = "Eisner 1996; Koo et al. 2007; Liu & Lapata 2018",
        .promises = {Promise::sums_to_one, Promise::shift_invariant, Promise::reverses_with_queries,
                     Promise::symmetric_jacobian, Promise::breaks_ties, Promise::whole_matrix},
        .examples = {"roots=many", "projective=false", "projective=false, roots=many"}};
  }
  void declare(Options& options) {
    options.add("projective", projective, "only trees whose arcs do not cross");
    options.add("roots", roots, roots_names(), "how many words hang on the root");
  }
  TableShape takes() const { return TableShape::square; }

  template <typename T>
  void forward(const Table<T>& table, std::span<T> weights) const {
    const Sentence sentence = sentence_of(table);
    if (!sentence.words.is_usable()) {
      std::fill(weights.begin(), weights.end(), std::numeric_limits<T>::quiet_NaN());
      return;
    }
    std::vector<double> shares = sums(sentence, {}).shares;
    const std::size_t n = sentence.words.rows();
    for (std::size_t d = 0; d < n; ++d) {
      const auto row = std::span(shares).subspan(d * n, n);
      for (double& share : row) share = std::max(share, 0.0);
      const double total = std::accumulate(row.begin(), row.end(), 0.0);
      if (!(std::abs(total - 1) < 1e-6)) {
        throw DataError(
            "tree: the heads of word {} add up to {} instead of 1; these scores are too far apart",
            sentence.words.query(d), total);
      }
      for (double& share : row) share /= total;
    }
    sentence.words.spread<T>(shares, weights);
  }

  // The Hessian of the log-sum is symmetric: its product with the upstream is the slope of the
  // shares along it, which the same two sweeps give (numbers with slopes).
  template <typename T>
  void backward(const Table<T>& table, std::span<const T>, std::span<const T> upstream,
                const TableGradient<T>& gradient) const {
    const Sentence sentence = sentence_of(table);
    if (!sentence.words.is_usable()) {
      std::fill(gradient.scores.begin(), gradient.scores.end(),
                std::numeric_limits<T>::quiet_NaN());
      return;
    }
    std::vector<double> slopes = sums(sentence, sentence.words.packed(upstream)).shares;
    for (double& slope : slopes) slope *= sentence.shifted.scale;
    sentence.words.spread<T>(slopes, gradient.scores);
  }

  double maximum(const Table<double>& table) const {
    const Sentence sentence = sentence_of(table);
    if (!sentence.words.is_usable()) return std::numeric_limits<double>::quiet_NaN();
    return sums(sentence, {}).log_sum / sentence.shifted.scale + sentence.shifted.taken;
  }
  std::optional<double> regulariser(const Table<double>& table,
                                    std::span<const double> weights) const {
    const PresentTable words(table, true);
    const std::vector<std::int32_t> heads = words.choices(words.packed(weights));
    if (heads.empty() || !is_tree(heads, form())) {
      return std::nullopt;
    }
    return 0;
  }
  std::vector<std::int32_t> best(const Table<double>& table) const {
    const Sentence sentence = sentence_of(table);
    const auto heads = best_tree(sentence.words.scores(), form());
    if (!heads) refuse_without_tree("tree", sentence.words, form());
    return sentence.words.keys_of(*heads, static_cast<std::size_t>(table.queries));
  }

 private:
  TreeForm form() const { return {.projective = projective, .roots = roots}; }

  template <typename T>
  Sentence sentence_of(const Table<T>& table) const {
    return Sentence(words_of("tree", table));
  }

  // The sum over trees with each arc's share or, along upstream [n,n], the slopes of the shares:
  // with doubles, and where these do not suffice, with numbers that have room for any exponent.
  TreeSum<double> sums(const Sentence& sentence, const std::vector<double>& upstream) const {
    const auto found = upstream.empty() ? sums_with<double>(sentence, upstream)
                                        : sums_with<Sloped<double>>(sentence, upstream);
    if (found) return *found;
    const auto wide = upstream.empty() ? sums_with<Wide>(sentence, upstream)
                                       : sums_with<Sloped<Wide>>(sentence, upstream);
    if (!wide) refuse_without_tree("tree", sentence.words, form());
    return *wide;
  }

  template <typename N>
  std::optional<TreeSum<double>> sums_with(const Sentence& sentence,
                                           const std::vector<double>& upstream) const {
    const std::size_t n = sentence.words.rows();
    if (n == 0) return TreeSum<double>{};
    std::vector<N> weights(n * n);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = NumberOf<N>::exp(sentence.shifted.scores[i], upstream.empty() ? 0 : upstream[i]);
    }
    const std::span<const N> all(weights);
    const auto found =
        projective ? sum_of_projective_trees(all, n, roots) : sum_of_trees(all, n, roots);
    if (!found) return std::nullopt;
    TreeSum<double> result{found->log_sum, std::vector<double>(n * n)};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      result.shares[i] = NumberOf<N>::result(found->shares[i]);
      if (!std::isfinite(result.shares[i])) return std::nullopt;
    }
    return result;
  }
};

const ListedNormaliser<Tree> kListed;

}  // namespace
}  // namespace heed::attention
