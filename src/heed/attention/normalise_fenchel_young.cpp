// SPDX-License-Identifier: Apache-2.0
// Fenchel-Young losses: how far a normaliser's weights are from a target, in the measure of its own
// regulariser.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/normalise.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/tensor/arithmetic.h"

namespace heed::attention {
namespace {

void check_shapes(const Variable& scores, const Tensor& target, int rank) {
  if (scores.rank() < rank || scores.shape() != target.shape()) {
    throw UsageError("fenchel_young_loss: scores {} and target {}; it takes {} twice",
                     scores.shape().text(), target.shape().text(),
                     rank == 1 ? "[...,keys]" : "[...,queries,keys]");
  }
}

[[noreturn]] void refuse_without_regulariser(const Normaliser& normaliser) {
  throw UsageError("fenchel_young_loss: {} has no regulariser, so no loss belongs to it",
                   normaliser.written());
}

bool sums_to_one(const Normaliser& normaliser) {
  return std::ranges::count(normaliser.card().promises, Promise::sums_to_one) > 0;
}

// Throws unless the row is a distribution, to the rounding of a float.
void check_distribution(std::span<const double> row, std::int64_t index) {
  double total = 0;
  for (const double value : row) {
    total += value;
    if (!(value >= 0)) {
      throw UsageError("fenchel_young_loss: row {} of the target holds {}; weights start at 0",
                       index, value);
    }
  }
  if (!(std::abs(total - 1) <= 1e-4)) {
    throw UsageError("fenchel_young_loss: row {} of the target adds up to {}; it must be 1", index,
                     total);
  }
}

// The losses, and their slopes along the scores, weights - target.
struct LossAndSlopes {
  Tensor losses, slopes;
};

LossAndSlopes losses_of_rows(const Normaliser& normaliser, const Tensor& z, const Tensor& y) {
  const double one = 1;
  if (!normaliser.regulariser({&one, 1})) refuse_without_regulariser(normaliser);
  const bool is_distribution = sums_to_one(normaliser);
  const std::int64_t columns = z.size(-1);
  Tensor losses(z.shape().without(z.rank() - 1));
  Real* const out = losses.mutable_data();
  std::vector<double> theta(static_cast<std::size_t>(columns)), q(theta.size());
  for (std::int64_t r = 0; columns > 0 && r < losses.size(); ++r) {
    const Real* const row = z.data() + r * columns;
    std::copy_n(y.data() + r * columns, columns, q.begin());
    if (is_distribution) check_distribution(q, r);
    // The same for all scores less their maximum, and no digits are lost to a common shift.
    const double top = is_distribution ? *std::max_element(row, row + columns) : 0;
    double inner = 0;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] = row[i] - top;
      if (q[i] > 0) inner += theta[i] * q[i];
    }
    const std::optional<double> omega = normaliser.regulariser(q);
    if (!omega) {
      throw UsageError("fenchel_young_loss: row {} of the target is nothing that {} gives", r,
                       normaliser.written());
    }
    out[r] = static_cast<Real>(*normaliser.maximum(theta) + *omega - inner);
  }
  return {losses, normalise(normaliser, Variable(z)).value() - y};
}

// How many of `count` queries or keys each of the tables has.
std::vector<std::int64_t> sizes_of(const Ids& lengths, std::int64_t tables, std::int64_t count,
                                   const char* of_what) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(tables), count);
  if (!lengths.defined()) return sizes;
  if (lengths.size() != tables) {
    throw UsageError("fenchel_young_loss: lengths {} of {} for {} tables; it takes one of each",
                     lengths.shape().text(), of_what, tables);
  }
  const std::vector<std::int32_t> values = lengths.values();
  std::ranges::copy(values, sizes.begin());
  for (std::int64_t t = 0; t < tables; ++t) {
    const std::int64_t size = sizes[static_cast<std::size_t>(t)];
    if (size < 0 || size > count) {
      throw UsageError("fenchel_young_loss: table {} has {} {}; it takes 0 to {}", t, size, of_what,
                       count);
    }
  }
  return sizes;
}

// One [Q,K] of a batch without its padding, in double, as a table of which every cell is allowed.
struct WholeTable {
  std::vector<double> scores, target, weights;
  std::vector<std::int32_t> columns;
  std::vector<std::size_t> rows{0};

  // z and y begin at the table and have `stride` keys to a row.
  WholeTable(const Real* z, const Real* y, std::int64_t stride, std::int64_t queries,
             std::int64_t keys) {
    for (std::int64_t q = 0; q < queries; ++q) {
      scores.insert(scores.end(), z + q * stride, z + q * stride + keys);
      target.insert(target.end(), y + q * stride, y + q * stride + keys);
      for (std::int64_t k = 0; k < keys; ++k) columns.push_back(static_cast<std::int32_t>(k));
      rows.push_back(columns.size());
    }
    weights.resize(scores.size());
  }
  Table<double> table(std::int64_t keys) const {
    return {.queries = static_cast<std::int64_t>(rows.size()) - 1,
            .keys = keys,
            .scores = scores,
            .columns = columns,
            .rows = rows};
  }
};

double loss_of_table(const MatrixNormaliser& normaliser, WholeTable& whole, std::int64_t keys,
                     std::int64_t index) {
  if (whole.scores.empty()) return 0;
  // As for rows: a common shift takes no digits.
  const double top = *std::ranges::max_element(whole.scores);
  for (double& score : whole.scores) score -= sums_to_one(normaliser) ? top : 0;
  const Table<double> table = whole.table(keys);
  const std::optional<double> maximum = normaliser.table_maximum(table);
  if (!maximum) refuse_without_regulariser(normaliser);
  const std::optional<double> omega = normaliser.table_regulariser(table, whole.target);
  if (!omega) {
    throw UsageError("fenchel_young_loss: table {} of the target is nothing that {} gives", index,
                     normaliser.written());
  }
  double inner = 0;
  for (std::size_t i = 0; i < whole.scores.size(); ++i) {
    if (whole.target[i] > 0) inner += whole.scores[i] * whole.target[i];
  }
  normaliser.forward(table, whole.weights);
  return *maximum + *omega - inner;
}

LossAndSlopes losses_of_tables(const MatrixNormaliser& normaliser, const Tensor& z, const Tensor& y,
                               const TableLengths& lengths) {
  const std::int64_t queries = z.size(-2), keys = z.size(-1);
  LossAndSlopes found{Tensor(z.shape().without(z.rank() - 1).without(z.rank() - 2)),
                      Tensor::zeros(z.shape())};
  const std::int64_t tables = found.losses.size();
  const auto rows = sizes_of(lengths.queries, tables, queries, "queries");
  const auto columns = sizes_of(lengths.keys, tables, keys, "keys");
  Real *const losses = found.losses.mutable_data(), *const slopes = found.slopes.mutable_data();
  parallel_for(static_cast<std::size_t>(tables), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const std::int64_t first = static_cast<std::int64_t>(t) * queries * keys;
      WholeTable whole(z.data() + first, y.data() + first, keys, rows[t], columns[t]);
      losses[t] = static_cast<Real>(
          loss_of_table(normaliser, whole, columns[t], static_cast<std::int64_t>(t)));
      for (std::size_t i = 0; i < whole.weights.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i) / columns[t];
        slopes[first + row * keys + whole.columns[i]] =
            static_cast<Real>(whole.weights[i] - whole.target[i]);
      }
    }
  });
  return found;
}

}  // namespace

Variable fenchel_young_loss(const Normaliser& normaliser, const Variable& scores,
                            const Tensor& target, const TableLengths& lengths) {
  const auto* const matrices = dynamic_cast<const MatrixNormaliser*>(&normaliser);
  check_shapes(scores, target, matrices != nullptr ? 2 : 1);
  if (matrices == nullptr && (lengths.queries.defined() || lengths.keys.defined())) {
    throw UsageError("fenchel_young_loss: lengths of tables given, but {} weighs each row alone",
                     normaliser.written());
  }
  const Tensor z = scores.value().packed(), y = target.packed();
  const LossAndSlopes found = matrices != nullptr ? losses_of_tables(*matrices, z, y, lengths)
                                                  : losses_of_rows(normaliser, z, y);
  const int axes = matrices != nullptr ? 2 : 1;
  return record("fenchel_young_loss", found.losses, {scores},
                [=, slopes = found.slopes](const Tensor& dy) -> Gradients {
                  Tensor upstream = dy;
                  for (int i = 0; i < axes; ++i) upstream = upstream.unsqueeze(upstream.rank());
                  return {slopes * upstream};
                });
}

Tensor chosen_weights(const Ids& keys, std::int64_t count) {
  const std::vector<std::int32_t> chosen = keys.values();
  std::vector<std::int64_t> sizes;
  for (int axis = 0; axis < keys.rank(); ++axis) sizes.push_back(keys.size(axis));
  sizes.push_back(count);
  Tensor weights = Tensor::zeros(Shape(sizes));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] < -1 || chosen[i] >= count) {
      throw UsageError("chosen_weights: query {} chooses key {}; there are {}, and -1 for none", i,
                       chosen[i], count);
    }
    if (chosen[i] < 0) continue;
    weights.mutable_data()[static_cast<std::int64_t>(i) * count + chosen[i]] = 1;
  }
  return weights;
}

}  // namespace heed::attention
