// SPDX-License-Identifier: Apache-2.0
// Sparse tree: a few dependency trees of a sentence share the weight.
#include <cmath>

#include "heed/attention/normalisers/best_any_tree.h"
#include "heed/attention/normalisers/best_projective_tree.h"
#include "heed/attention/normalisers/best_tree.h"
#include "heed/attention/normalisers/sparse_table.h"

namespace heed::attention {
namespace {

struct SparseTree {
  TreeForm form;

  static Card card() {
    return {
        .name = "sparse_tree",
        .summary =
            "A few dependency trees of the sentence share the weight: most words have "
            "one or two heads, the root being a word's own key.",
        .formula = "P = argmax Σ z_dh P_dh - Σ P_dh² / 2 over averages of trees",
        .source = "Niculae, Martins, Blondel & Cardie 2018",
        .promises = {Promise::sums_to_one, Promise::shift_invariant, Promise::reverses_with_queries,
                     Promise::symmetric_jacobian, Promise::sparse, Promise::whole_matrix},
        .examples = {"roots=many", "projective=false", "projective=false, roots=many"}};
  }
  void declare(Options& options) {
    options.add("projective", form.projective, "only trees whose arcs do not cross");
    options.add("roots", form.roots, roots_names(), "how many words hang on the root");
  }
  TableShape takes() const { return TableShape::square; }

  template <typename T>
  void forward(const Table<T>& table, std::span<T> weights) const {
    sparse_table_forward(words_of("sparse_tree", table), weights,
                         [&](const PresentTable& words) { return solved(words); });
  }
  template <typename T>
  void backward(const Table<T>& table, std::span<const T>, std::span<const T> upstream,
                const TableGradient<T>& gradient) const {
    sparse_table_backward(words_of("sparse_tree", table), upstream, gradient.scores,
                          [&](const PresentTable& words) { return solved(words); });
  }
  double maximum(const Table<double>& table) const {
    const PresentTable words = words_of("sparse_tree", table);
    if (!words.is_usable()) return std::numeric_limits<double>::quiet_NaN();
    return solved(words).maximum();
  }
  std::vector<Member> members(const Table<double>& table) const {
    const PresentTable words = words_of("sparse_tree", table);
    if (!words.is_usable()) return {};
    return solved(words).members(words, table.queries);
  }
  std::optional<double> regulariser(const Table<double>& table,
                                    std::span<const double> weights) const {
    const PresentTable words(table, true);
    const std::vector<std::int32_t> heads = words.choices(words.packed(weights));
    if (heads.empty() || !is_tree(heads, form)) return std::nullopt;
    return static_cast<double>(heads.size()) / 2;
  }
  std::vector<std::int32_t> best(const Table<double>& table) const {
    const PresentTable words = words_of("sparse_tree", table);
    const auto heads = best_tree(words.scores(), form);
    if (!heads) refuse_without_tree("sparse_tree", words, form);
    return words.keys_of(*heads, static_cast<std::size_t>(table.queries));
  }

 private:
  // Of equal trees any, as long as it is the same one again: the first of equals would cost a
  // search for each word.
  SparseTable solved(const PresentTable& words) const {
    const auto find = [form = form, n = words.rows()](std::span<const double> scores) {
      auto found = form.projective ? best_projective_tree(scores, n, form.roots)
                                   : best_any_tree(scores, n, form.roots);
      return found ? std::optional(std::move(found->choices)) : std::nullopt;
    };
    if (words.rows() > 0 && !find(words.scores())) refuse_without_tree("sparse_tree", words, form);
    return {words, find};
  }
};

const ListedNormaliser<SparseTree> kListed;

}  // namespace
}  // namespace heed::attention
