// SPDX-License-Identifier: Apache-2.0
// Effective attention: the part of the weights that what is read depends on. The rest may be any
// other weights, and nothing that follows would know.
//
// Of values T [N,D] of rank r < N the weights A and A U U' read the same, U [N,r] an orthonormal
// basis of the columns of T (Brunner 2020). It is found by Gram and Schmidt, columns by length.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/explain/explainer.h"

namespace heed::explain {
namespace {

constexpr double kOfNoLength = 1e-6;  // of the longest column, in what single precision has left

using Columns = std::vector<std::vector<double>>;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// values [N,D] -> an orthonormal basis of its columns.
Columns basis_of(const Tensor& values) {
  const std::int64_t tokens = values.size(0), width = values.size(1);
  Columns rest, basis;
  double longest = 0;
  for (std::int64_t d = 0; d < width; ++d) {
    std::vector<double>& column = rest.emplace_back();
    for (std::int64_t k = 0; k < tokens; ++k) {
      column.push_back(static_cast<double>(values.at({k, d})));
    }
    longest = std::max(longest, std::sqrt(product(column, column)));
  }
  while (!rest.empty() && basis.size() < static_cast<std::size_t>(tokens)) {
    const auto next = std::ranges::max_element(
        rest, {}, [](const std::vector<double>& column) { return product(column, column); });
    const double length = std::sqrt(product(*next, *next));
    if (length <= kOfNoLength * longest) break;
    std::vector<double> one = std::move(*next);
    rest.erase(next);
    for (double& number : one) number /= length;
    // Once more against those before, as rounding wants.
    for (const std::vector<double>& other : basis) {
      const double shared = product(one, other);
      for (std::size_t k = 0; k < one.size(); ++k) one[k] -= shared * other[k];
    }
    const double left = std::sqrt(product(one, one));
    for (double& number : one) number /= left;
    for (std::vector<double>& column : rest) {
      const double shared = product(one, column);
      for (std::size_t k = 0; k < one.size(); ++k) column[k] -= shared * one[k];
    }
    basis.push_back(std::move(one));
  }
  return basis;
}

// weights [H,Q,N] -> [H,Q,N], each row projected; `lost` gets the squares of what went, and `all`
// those of the whole.
Tensor effective(const Look& look, double& lost, double& all) {
  if (!look.values.defined()) {
    throw UsageError("effective_attention: what this attention reads is not known; take attention");
  }
  const std::int64_t heads = look.weights.size(0), queries = look.weights.size(1),
                     tokens = look.weights.size(2);
  Tensor found(look.weights.shape());
  for (std::int64_t h = 0; h < heads; ++h) {
    const Columns basis = basis_of(look.values.select(0, h));
    for (std::int64_t q = 0; q < queries; ++q) {
      std::vector<double> row, projected(static_cast<std::size_t>(tokens), 0);
      for (std::int64_t k = 0; k < tokens; ++k) {
        row.push_back(static_cast<double>(look.weights.at({h, q, k})));
      }
      for (const std::vector<double>& axis : basis) {
        const double shared = product(row, axis);
        for (std::size_t k = 0; k < row.size(); ++k) projected[k] += shared * axis[k];
      }
      all += product(row, row);
      lost += std::max(product(row, row) - product(projected, projected), 0.);
      for (std::size_t k = 0; k < row.size(); ++k) {
        found.mutable_data()[(h * queries + q) * tokens + static_cast<std::int64_t>(k)] =
            static_cast<Real>(projected[k]);
      }
    }
  }
  return found;
}

struct EffectiveAttention {
  LookChoice choice{};

  static ExplainerCard card() {
    return {.name = "effective_attention",
            .summary = "the part of the weights that what is read depends on",
            .formula = "(A U U')_t, U a basis of the values' columns",
            .source = "Brunner 2020",
            .promises = {Promise::unshifted},
            .need = Need::looks};
  }
  void declare(Options& options) { choice.declare(options); }
  Explanation explain(const Subject& subject) const {
    double lost = 0, all = 0;
    Explanation found;
    found.shares = shares_of(subject.looks(), choice,
                             [&](const Look& look) { return effective(look, lost, all); });
    found.note = fmt::format(
        "{:.0f}% of the weights (of their squares) could be others with the same output",
        all > 0 ? 100 * lost / all : 0.);
    return found;
  }
};

const ListedExplainer<EffectiveAttention> kListed;

}  // namespace
}  // namespace heed::explain
