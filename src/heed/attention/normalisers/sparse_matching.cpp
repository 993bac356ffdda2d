// SPDX-License-Identifier: Apache-2.0
// Sparse matching: a few ways to give every query a key of its own share the weight.
#include "heed/attention/normalisers/best_matching.h"
#include "heed/attention/normalisers/sparse_table.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct SparseMatching {
  static Card card() {
    return {.name = "sparse_matching",
            .summary =
                "A few ways to give every query a key of its own share the weight; most "
                "pairs have none.",
            .formula =
                "P = argmax Σ z_ij P_ij - Σ P_ij² / 2 over averages of matchings: Σ_j P_ij = 1, "
                "Σ_i P_ij ≤ 1",
            .source = "Niculae, Martins, Blondel & Cardie 2018",
            .promises = {Promise::sums_to_one, Promise::shift_invariant,
                         Promise::permutation_equivariant, Promise::symmetric_jacobian,
                         Promise::sparse, Promise::whole_matrix}};
  }
  void declare(Options&) {}
  TableShape takes() const { return TableShape::wide; }

  template <typename T>
  void forward(const Table<T>& table, std::span<T> weights) const {
    sparse_table_forward(PresentTable(table), weights, solved);
  }
  template <typename T>
  void backward(const Table<T>& table, std::span<const T>, std::span<const T> upstream,
                const TableGradient<T>& gradient) const {
    sparse_table_backward(PresentTable(table), upstream, gradient.scores, solved);
  }
  double maximum(const Table<double>& table) const {
    const PresentTable present(table);
    if (!present.is_usable()) return std::numeric_limits<double>::quiet_NaN();
    return solved(present).maximum();
  }
  std::vector<Member> members(const Table<double>& table) const {
    const PresentTable present(table);
    if (!present.is_usable()) return {};
    return solved(present).members(present, table.queries);
  }
  std::optional<double> regulariser(const Table<double>& table,
                                    std::span<const double> weights) const {
    const PresentTable present(table);
    std::vector<std::int32_t> keys = present.choices(present.packed(weights));
    const std::size_t rows = keys.size();
    std::ranges::sort(keys);
    if (rows == 0 || std::ranges::adjacent_find(keys) != keys.end()) return std::nullopt;
    return static_cast<double>(rows) / 2;
  }
  std::vector<std::int32_t> best(const Table<double>& table) const {
    const PresentTable present(table);
    return present.keys_of(matching_of(present), static_cast<std::size_t>(table.queries));
  }

 private:
  static std::vector<std::int32_t> matching_of(const PresentTable& table) {
    if (table.rows() > table.columns()) {
      throw UsageError(
          "sparse_matching: {} queries over {} keys; every query gets a key of its own, so it "
          "takes no more queries than keys",
          table.rows(), table.columns());
    }
    auto found = best_matching(table.scores(), table.columns());
    if (!found) {
      throw UsageError("sparse_matching: the mask leaves no key for each of the {} queries",
                       table.rows());
    }
    return std::move(*found);
  }
  static SparseTable solved(const PresentTable& table) {
    matching_of(table);  // or it says why there is none
    return {table, [columns = table.columns()](std::span<const double> scores) {
              return best_matching(scores, columns);
            }};
  }
};

const ListedNormaliser<SparseMatching> kListed;

}  // namespace
}  // namespace heed::attention
