// SPDX-License-Identifier: Apache-2.0
// Monotone: from query to query the key moves on or stays, and the weights are those of all ways
// through the table that do so, or of their beginnings.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "heed/attention/normalisers/best_path.h"
#include "heed/attention/normalisers/present_table.h"
#include "heed/attention/normalisers/shifted_scores.h"
#include "heed/attention/normalisers/wide.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// Sums over paths: ahead[i][j] of their beginnings that end in (i, j), behind[i][j] of what may
// follow there. Each row is divided by its largest, so that doubles do for tables of any length.
template <typename N>
class PathSums {
 public:
  // slopes: of the scores, [Q,K]; empty: none.
  PathSums(const PresentTable& table, const ShiftedScores& shifted, const PathSteps& steps,
           const std::vector<double>& slopes = {})
      : rows_(table.rows()), columns_(table.columns()), steps_(steps) {
    cells_.resize(rows_ * columns_);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      cells_[i] = NumberOf<N>::exp(shifted.scores[i], slopes.empty() ? 0 : slopes[i]);
    }
  }

  // F_1 = e^z_1, F_i = e^z_i (sum of F_(i-1) over the keys from which j is a step). Gives the first
  // row that no path reaches, or none does for which a double suffices.
  std::optional<std::size_t> add_ahead() {
    ahead_ = cells_;
    log_sum_ = 0;
    reach_.assign(cells_.size(), N{});
    for (std::size_t row = 0; row < rows_; ++row) {
      if (row > 0) {
        add_reach(row);
        for (std::size_t j = 0; j < columns_; ++j) {
          at(ahead_, row, j) = cell(row, j) * reach(row, j);
        }
      }
      const N total = total_of(row);
      if (!NumberOf<N>::is_sound(total)) return row;
      if (row + 1 == rows_) {
        log_sum_ += NumberOf<N>::log(total);
      } else {
        log_sum_ += std::log(divide(ahead_, row));
      }
    }
    return std::nullopt;
  }
  // B_Q = 1, B_i = (sum of e^z_(i+1) B_(i+1) over the keys to which j has a step).
  void add_behind() {
    behind_.assign(cells_.size(), N(1.0));
    for (std::size_t row = rows_ - 1; row-- > 0;) {
      const auto next = [&](std::size_t j) { return cell(row + 1, j) * at(behind_, row + 1, j); };
      N running{};
      for (std::size_t j = columns_; j-- > 0;) {
        if (steps_.jump == 0) {
          if (j + steps_.least() < columns_) running += next(j + steps_.least());
        } else {
          running = N{};
          const std::size_t end = std::min(columns_, j + steps_.most(columns_) + 1);
          for (std::size_t to = j + steps_.least(); to < end; ++to) running += next(to);
        }
        at(behind_, row, j) = running;
      }
      divide(behind_, row);
    }
  }

  double log_sum() const { return log_sum_; }
  N ahead(std::size_t row, std::size_t j) const { return ahead_[row * columns_ + j]; }
  N behind(std::size_t row, std::size_t j) const { return behind_[row * columns_ + j]; }
  // The sum over the keys of the row before from which j is a step.
  N reach(std::size_t row, std::size_t j) const { return reach_[row * columns_ + j]; }

 private:
  N& at(std::vector<N>& values, std::size_t row, std::size_t j) const {
    return values[row * columns_ + j];
  }
  const N& cell(std::size_t row, std::size_t j) const { return cells_[row * columns_ + j]; }
  N total_of(std::size_t row) const {
    N total{};
    for (std::size_t j = 0; j < columns_; ++j) total += ahead(row, j);
    return total;
  }
  void add_reach(std::size_t row) {
    N running{};
    for (std::size_t j = 0; j < columns_; ++j) {
      if (steps_.jump == 0) {
        if (j >= steps_.least()) running += ahead(row - 1, j - steps_.least());
      } else {
        running = N{};
        for (std::size_t step = steps_.least(); step <= std::min(j, steps_.most(columns_));
             ++step) {
          running += ahead(row - 1, j - step);
        }
      }
      at(reach_, row, j) = running;
    }
  }
  double divide(std::vector<N>& values, std::size_t row) const {
    double largest = 0;
    for (std::size_t j = 0; j < columns_; ++j) {
      largest = std::max(largest, NumberOf<N>::size(at(values, row, j)));
    }
    if (largest == 0 || largest == 1) return 1;
    const N inverse(1 / largest);
    for (std::size_t j = 0; j < columns_; ++j) at(values, row, j) = at(values, row, j) * inverse;
    return largest;
  }

  std::size_t rows_, columns_;
  PathSteps steps_;
  std::vector<N> cells_, ahead_, behind_, reach_;
  double log_sum_ = 0;
};

// past [B,H,K], weights of a query -> log of the sum over the keys from which each key is a step,
// -inf where there is none; 0 for rows of zeros, which come before the first query.
Variable log_reach(const Variable& past, const PathSteps& steps) {
  const std::int64_t keys = past.size(2);
  const auto moved = [&](std::int64_t step) {
    if (step >= keys) return Variable(Tensor::zeros(past.shape()));
    return step == 0 ? past : slice(pad(past, 2, {.before = step, .after = 0}), 2, 0, keys);
  };
  Variable reach = moved(steps.strict ? 1 : 0);
  if (steps.jump == 0) reach = cumulative_sum(reach, 2);
  for (std::int64_t step = steps.strict ? 2 : 1; step <= std::min(steps.jump, keys); ++step) {
    reach = reach + moved(step);
  }
  Tensor is_reached(past.shape()), unreached(past.shape());
  const Tensor sums = reach.value().packed(), weights = past.value().packed();
  Real *const flags = is_reached.mutable_data(), *const others = unreached.mutable_data();
  for (std::int64_t row = 0; row < sums.size(); row += keys) {
    const bool first = std::all_of(weights.data() + row, weights.data() + row + keys,
                                   [](Real weight) { return weight == 0; });
    for (std::int64_t cell = row; cell < row + keys; ++cell) {
      flags[cell] = sums.data()[cell] > 0 ? 1 : 0;
      others[cell] = first ? 0 : -std::numeric_limits<Real>::infinity();
    }
  }
  const Variable one(Tensor::full(past.shape(), 1));
  return where(is_reached, log(where(is_reached, reach, one)), Variable(unreached));
}

struct Monotone {
  bool filter = false;
  bool strict = false;
  std::int64_t jump = 0;

  static Card card() {
    return {
        .name = "monotone",
        .summary =
            "Weights of all ways through the table whose keys never go back; filtered, of their "
            "beginnings up to each query.",
        .formula =
            "P_ij = Σ over paths j_1 ≤ j_2 ≤ … with j_i = j of exp(Σ z) / Σ over all paths of "
            "exp(Σ z)",
        .source = "Vogel et al. 1996; Yu et al. 2016; Raffel et al. 2017",
        .promises = {Promise::sums_to_one, Promise::shift_invariant, Promise::sparse,
                     Promise::breaks_ties, Promise::whole_matrix},
        .examples = {"filter=true", "strict=true", "jump=2"}};
  }
  void declare(Options& options) {
    options.add("filter", filter, "weigh each query by the queries up to it, not by later ones");
    options.add("strict", strict, "from query to query the key moves on, it does not stay");
    options.add("jump", jump, "how many keys it moves on at most; 0: any number").at_least(0);
  }
  TableShape takes() const { return strict ? TableShape::wide : TableShape::any; }

  bool looks_ahead() const { return !filter; }

  // log F less a constant is the logarithm of the weights, so that these are all that a next query
  // has to know: the first one gets the logarithm of the sum over keys that reach it.
  Variable continued(const Variable& scores, const Variable& past) const {
    Variable first =
        slice(scores, 2, 0, 1) +
        reshape(log_reach(past, steps()), {past.size(0), past.size(1), 1, past.size(2)});
    if (scores.size(2) == 1) return first;
    return concat({first, slice(scores, 2, 1, scores.size(2))}, 2);
  }

  template <typename T>
  void forward(const Table<T>& table, std::span<T> weights) const {
    const PresentTable present(table);
    if (!present.is_usable()) {
      std::fill(weights.begin(), weights.end(), std::numeric_limits<T>::quiet_NaN());
      return;
    }
    const ShiftedScores shifted(present.scores(), present.columns());
    auto found = shares<double>(present, shifted, {});
    if (!found) found = shares<Wide>(present, shifted, {});
    if (!found) refuse_without_path(present, shifted);
    present.spread<T>(*found, weights);
  }

  template <typename T>
  void backward(const Table<T>& table, std::span<const T>, std::span<const T> upstream,
                const TableGradient<T>& gradient) const {
    const PresentTable present(table);
    if (!present.is_usable()) {
      std::fill(gradient.scores.begin(), gradient.scores.end(),
                std::numeric_limits<T>::quiet_NaN());
      return;
    }
    const ShiftedScores shifted(present.scores(), present.columns());
    const std::vector<double> g = present.packed(upstream);
    std::optional<std::vector<double>> found;
    if (filter) {
      found = filtered_gradient<double>(present, shifted, g);
      if (!found) found = filtered_gradient<Wide>(present, shifted, g);
    } else {
      // The Jacobian is symmetric: the slope of the weights along the upstream.
      found = shares<Sloped<double>>(present, shifted, g);
      if (!found) found = shares<Sloped<Wide>>(present, shifted, g);
    }
    if (!found) refuse_without_path(present, shifted);
    for (double& slope : *found) slope *= shifted.scale;
    present.spread<T>(*found, gradient.scores);
  }

  std::optional<double> maximum(const Table<double>& table) const {
    if (filter) return std::nullopt;
    const PresentTable present(table);
    if (!present.is_usable()) return std::numeric_limits<double>::quiet_NaN();
    const ShiftedScores shifted(present.scores(), present.columns());
    PathSums<Wide> sums(present, shifted, steps());
    if (sums.add_ahead()) refuse_without_path(present, shifted);
    return sums.log_sum() / shifted.scale + shifted.taken;
  }
  std::optional<double> regulariser(const Table<double>& table,
                                    std::span<const double> weights) const {
    const PresentTable present(table);
    const std::vector<std::int32_t> path = present.choices(present.packed(weights));
    if (filter || path.size() != present.rows() || !is_path(path, steps())) return std::nullopt;
    return 0;
  }
  std::vector<std::int32_t> best(const Table<double>& table) const {
    const PresentTable present(table);
    const auto path = best_path(present.scores(), present.columns(), steps());
    if (!path) refuse_without_path(present, {present.scores(), present.columns()});
    return present.keys_of(*path, static_cast<std::size_t>(table.queries));
  }

 private:
  PathSteps steps() const { return {strict, jump}; }

  // The weights or, along slopes of the scores, their slopes; nullopt: there is no path, or numbers
  // of this kind do not suffice.
  template <typename N>
  std::optional<std::vector<double>> shares(const PresentTable& table, const ShiftedScores& shifted,
                                            const std::vector<double>& slopes) const {
    const std::size_t rows = table.rows(), columns = table.columns();
    std::vector<double> found(rows * columns);
    if (rows == 0) return found;
    PathSums<N> sums(table, shifted, steps(), slopes);
    if (sums.add_ahead()) return std::nullopt;
    if (!filter) sums.add_behind();
    std::vector<N> row(columns);
    for (std::size_t i = 0; i < rows; ++i) {
      N total{};
      for (std::size_t j = 0; j < columns; ++j) {
        row[j] = filter ? sums.ahead(i, j) : sums.ahead(i, j) * sums.behind(i, j);
        total += row[j];
      }
      if (!NumberOf<N>::is_sound(total)) return std::nullopt;
      for (std::size_t j = 0; j < columns; ++j) {
        found[i * columns + j] = NumberOf<N>::result(row[j] / total);
      }
    }
    return found;
  }

  // Rows from the last: with p = F / ΣF and c the reach of a row, the slope along log F_i is
  // p (g - <p,g>) and what the next row sends back, F_j Σ d_j' / c_j' over its keys j'. Ratios of c
  // are at most one, so nothing overflows.
  template <typename N>
  std::optional<std::vector<double>> filtered_gradient(const PresentTable& table,
                                                       const ShiftedScores& shifted,
                                                       const std::vector<double>& g) const {
    const std::size_t rows = table.rows(), columns = table.columns();
    std::vector<double> found(rows * columns), p(columns);
    PathSums<N> sums(table, shifted, steps());
    if (sums.add_ahead()) return std::nullopt;
    for (std::size_t i = rows; i-- > 0;) {
      double* const d = found.data() + i * columns;
      if (i + 1 < rows) send_back(sums, i, d + columns, d, columns);
      N total{};
      for (std::size_t j = 0; j < columns; ++j) total += sums.ahead(i, j);
      double mean = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        p[j] = NumberOf<N>::result(sums.ahead(i, j) / total);
        mean += p[j] * g[i * columns + j];
      }
      for (std::size_t j = 0; j < columns; ++j) d[j] += p[j] * (g[i * columns + j] - mean);
    }
    return found;
  }
  template <typename N>
  void send_back(const PathSums<N>& sums, std::size_t i, const double* later, double* d,
                 std::size_t columns) const {
    const PathSteps step = steps();
    const auto ratio = [](const N& a, const N& b) {
      return NumberOf<N>::size(b) > 0 ? NumberOf<N>::result(a / b) : 0;
    };
    if (jump > 0) {
      for (std::size_t j = 0; j < columns; ++j) {
        const std::size_t end = std::min(columns, j + step.most(columns) + 1);
        for (std::size_t to = j + step.least(); to < end; ++to) {
          d[j] += later[to] * ratio(sums.ahead(i, j), sums.reach(i + 1, to));
        }
      }
      return;
    }
    double t = 0;
    for (std::size_t to = columns; to-- > step.least();) {
      if (to + 1 < columns) t *= ratio(sums.reach(i + 1, to), sums.reach(i + 1, to + 1));
      t += later[to];
      d[to - step.least()] = t * ratio(sums.ahead(i, to - step.least()), sums.reach(i + 1, to));
    }
  }

  [[noreturn]] void refuse_without_path(const PresentTable& table,
                                        const ShiftedScores& shifted) const {
    if (strict && table.rows() > table.columns()) {
      throw UsageError(
          "monotone: {} queries over {} keys; where each moves on it takes no more queries than "
          "keys",
          table.rows(), table.columns());
    }
    const auto row = PathSums<Wide>(table, shifted, steps()).add_ahead();
    if (!row) throw InternalError("monotone: a path was overlooked");
    throw UsageError("monotone: query {} may see no key to which those before it could move on",
                     table.query(*row));
  }
};

const ListedNormaliser<Monotone> kListed;

}  // namespace
}  // namespace heed::attention
