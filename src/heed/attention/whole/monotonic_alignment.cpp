// SPDX-License-Identifier: Apache-2.0
// The recursions and their gradients, row by row in double.
#include "heed/attention/whole/monotonic_alignment.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/threads.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

double chance(Real energy) {
  return 1 / (1 + std::exp(-static_cast<double>(energy)));
}

struct AlignmentSizes {
  explicit AlignmentSizes(const Shape& shape)
      : batch(shape[0]), heads(shape[1]), queries(shape[2]), keys(shape[3]) {}
  std::int64_t batch, heads, queries, keys;

  // How many keys query q of this row of heads b H + h sees.
  std::int64_t seen(const std::vector<std::int64_t>& visible, std::int64_t head,
                    std::int64_t q) const {
    return visible[static_cast<std::size_t>(head / heads * queries + q)];
  }
  template <typename Body>
  void each_head(const Body& body) const {
    const auto count = static_cast<std::size_t>(batch * heads);
    // A head of a few thousand cells takes less time than waking a thread.
    const auto grain =
        1 + static_cast<std::size_t>(8192 / std::max<std::int64_t>(1, queries * keys));
    parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t head = begin; head < end; ++head) body(static_cast<std::int64_t>(head));
    });
  }
};

// The place before the first query of a head.
std::vector<double> start_of(const Tensor& past, const AlignmentSizes& sizes, std::int64_t head) {
  std::vector<double> place(static_cast<std::size_t>(sizes.keys), 0);
  if (past.defined()) {
    std::copy_n(past.data() + head * sizes.keys, sizes.keys, place.begin());
  } else if (sizes.keys > 0) {
    place[0] = 1;
  }
  return place;
}

// q of a row, of the place before it: q_j = (1 - p_(j-1)) q_(j-1) + a_j.
void arrivals(const Real* energies, const std::vector<double>& before, std::int64_t seen,
              std::vector<double>& q) {
  double running = 0;
  for (std::int64_t j = 0; j < seen; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (j > 0) running *= chance(-energies[j - 1]);
    q[at] = running += before[at];
  }
}

// R_j = p_j G_j + (1 - p_j) R_(j+1), dp_j = q_j (G_j - R_(j+1)), and R is what the row before gets.
Gradients alignment_gradients(const Tensor& energies, const Tensor& past, const Tensor& result,
                              const std::vector<std::int64_t>& visible, const Tensor& dy) {
  const AlignmentSizes sizes(energies.shape());
  const std::int64_t keys = sizes.keys;
  Tensor d_energies = Tensor::zeros(energies.shape());
  Tensor d_past = past.defined() ? Tensor::zeros(past.shape()) : Tensor();
  Real* const de = d_energies.mutable_data();
  Real* const dp = d_past.mutable_data();
  sizes.each_head([&](std::int64_t head) {
    const Real* const rows = result.data() + head * (sizes.queries + 1) * keys;
    const Real* const upstream = dy.data() + head * (sizes.queries + 1) * keys;
    // What the place after query i gets from what follows.
    std::vector<double> carry(upstream + sizes.queries * keys,
                              upstream + (sizes.queries + 1) * keys);
    std::vector<double> before(static_cast<std::size_t>(keys)), q(before.size());
    for (std::int64_t i = sizes.queries; i-- > 0;) {
      const std::int64_t seen = sizes.seen(visible, head, i);
      if (seen <= 0) continue;
      // The place before: the last row that saw something, or the start.
      std::int64_t last = i - 1;
      while (last >= 0 && sizes.seen(visible, head, last) <= 0) --last;
      if (last >= 0) {
        std::copy_n(rows + last * keys, keys, before.begin());
      } else {
        before = start_of(past, sizes, head);
      }
      const Real* const row = energies.data() + (head * sizes.queries + i) * keys;
      Real* const slope = de + (head * sizes.queries + i) * keys;
      arrivals(row, before, seen, q);
      double after = 0;
      for (std::int64_t j = seen; j-- > 0;) {
        const auto at = static_cast<std::size_t>(j);
        const double p = chance(row[j]), rest = chance(-row[j]);
        const double g = static_cast<double>(upstream[i * keys + j]) + carry[at];
        slope[j] = static_cast<Real>(q[at] * (g - after) * p * rest);
        carry[at] = after = p * g + rest * after;
      }
      std::fill(carry.begin() + seen, carry.end(), 0);
    }
    for (std::int64_t j = 0; j < keys && dp != nullptr; ++j) {
      dp[head * keys + j] = static_cast<Real>(carry[static_cast<std::size_t>(j)]);
    }
  });
  return {d_energies, d_past.defined() ? Gradient(d_past) : Gradient()};
}

}  // namespace

StoppingEnergies::StoppingEnergies(const MechanismShape& shape, std::int64_t size, double offset,
                                   Random& random)
    : weights({shape.query_width, shape.key_width, shape.heads, shape.key_heads}, size, random) {
  const auto number = [&](double value) {
    return head_parameter(shape.heads,
                          [value] { return Tensor::full({}, static_cast<Real>(value)); });
  };
  b = head_parameter(shape.heads, [size] { return Tensor::zeros({size}); });
  g = number(1 / std::sqrt(static_cast<double>(size)));
  r = number(offset);
}

void StoppingEnergies::visit(nn::ParameterVisitor& visitor) {
  weights.visit(visitor);
  visitor("b", b);
  visitor("g", g);
  visitor("r", r);
}

Variable StoppingEnergies::operator()(const Variable& query, const Variable& keys) const {
  const Variable asked = project_heads(query, weights.W2) + along_heads(b, 1);
  // g / |v| goes into v: a product with the scores would carry a hidden NaN into its gradient.
  const Variable length = sqrt(sum(square(weights.v), -1));  // [] or [H]
  const Variable scale = g / length;
  const Variable v =
      weights.v * reshape(scale, scale.rank() == 0 ? Shape{1} : Shape{scale.size(0), 1});
  return additive_scores(asked, project_heads(keys, weights.W1), v, Activation::tanh) +
         (r.rank() == 0 ? r : reshape(r, {r.size(0), 1, 1}));
}

Variable monotonic_alignment(const Variable& energies, const Variable& past,
                             const std::vector<std::int64_t>& visible) {
  const Tensor e = energies.value().packed();
  const Tensor before = past.defined() ? past.value().packed() : Tensor();
  const AlignmentSizes sizes(e.shape());
  const std::int64_t keys = sizes.keys;
  Tensor result = Tensor::zeros({sizes.batch, sizes.heads, sizes.queries + 1, keys});
  Real* const out = result.mutable_data();
  sizes.each_head([&](std::int64_t head) {
    std::vector<double> place = start_of(before, sizes, head), q(place.size());
    Real* row = out + head * (sizes.queries + 1) * keys;
    for (std::int64_t i = 0; i < sizes.queries; ++i, row += keys) {
      const std::int64_t seen = sizes.seen(visible, head, i);
      if (seen <= 0) continue;
      const Real* const energy = e.data() + (head * sizes.queries + i) * keys;
      arrivals(energy, place, seen, q);
      std::ranges::fill(place, 0);
      for (std::int64_t j = 0; j < seen; ++j) {
        const auto at = static_cast<std::size_t>(j);
        place[at] = chance(energy[j]) * q[at];
        row[j] = static_cast<Real>(place[at]);
      }
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      row[j] = static_cast<Real>(place[static_cast<std::size_t>(j)]);
    }
  });
  return record("monotonic_alignment", result, {energies, past},
                [e, before, result, visible](const Tensor& dy) -> Gradients {
                  return alignment_gradients(e, before, result, visible, dy.packed());
                });
}

Variable hard_alignment(const Variable& energies, const Variable& past,
                        const std::vector<std::int64_t>& visible) {
  const Tensor e = energies.value().packed();
  const Tensor before = past.defined() ? past.value().packed() : Tensor();
  const AlignmentSizes sizes(e.shape());
  const std::int64_t keys = sizes.keys;
  Tensor result = Tensor::zeros({sizes.batch, sizes.heads, sizes.queries + 1, keys});
  Real* const out = result.mutable_data();
  sizes.each_head([&](std::int64_t head) {
    const std::vector<double> start = start_of(before, sizes, head);
    std::int64_t place = std::ranges::max_element(start) - start.begin();
    Real* row = out + head * (sizes.queries + 1) * keys;
    for (std::int64_t i = 0; i < sizes.queries; ++i, row += keys) {
      const Real* const energy = e.data() + (head * sizes.queries + i) * keys;
      std::int64_t j = place;
      while (j < sizes.seen(visible, head, i) && !(energy[j] > 0)) ++j;
      if (j >= sizes.seen(visible, head, i)) continue;
      row[j] = 1;
      place = j;
    }
    if (place < keys) row[place] = 1;
  });
  return record("hard_alignment", result, {energies, past},
                [shape = e.shape(), before](const Tensor&) -> Gradients {
                  return {Tensor::zeros(shape),
                          before.defined() ? Gradient(Tensor::zeros(before.shape())) : Gradient()};
                });
}

Variable chunkwise(const Variable& weights, const Variable& energies, std::int64_t width,
                   const std::vector<std::int64_t>& visible) {
  const Tensor a = weights.value().packed(), u = energies.value().packed();
  const AlignmentSizes sizes(a.shape());
  // Calls body(row, seen) for each query that sees something.
  const auto each_row = [sizes, visible](const auto& body) {
    sizes.each_head([&](std::int64_t head) {
      for (std::int64_t i = 0; i < sizes.queries; ++i) {
        const std::int64_t seen = sizes.seen(visible, head, i);
        if (seen > 0) body((head * sizes.queries + i) * sizes.keys, seen);
      }
    });
  };
  // The softmax over the window that ends at k, and where it begins.
  const auto window = [width](const Real* energy, std::int64_t k, std::vector<double>& share) {
    const std::int64_t begin = std::max<std::int64_t>(0, k - width + 1);
    double top = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t l = begin; l <= k; ++l) top = std::max(top, static_cast<double>(energy[l]));
    share.clear();
    for (std::int64_t l = begin; l <= k; ++l) {
      share.push_back(std::exp(static_cast<double>(energy[l]) - top));
      total += share.back();
    }
    for (double& one : share) one /= total;
    return begin;
  };
  Tensor spread = Tensor::zeros(a.shape());
  Real* const out = spread.mutable_data();
  each_row([&](std::int64_t row, std::int64_t seen) {
    std::vector<double> sums(static_cast<std::size_t>(seen), 0), share;
    for (std::int64_t k = 0; k < seen; ++k) {
      const double weight = a.data()[row + k];
      if (weight == 0) continue;
      const std::int64_t begin = window(u.data() + row, k, share);
      for (std::size_t i = 0; i < share.size(); ++i) {
        sums[static_cast<std::size_t>(begin) + i] += weight * share[i];
      }
    }
    for (std::size_t j = 0; j < sums.size(); ++j) {
      out[row + static_cast<std::int64_t>(j)] = static_cast<Real>(sums[j]);
    }
  });
  // With m_k = <softmax of window k, dy>: da_k = m_k, du_l = sum over k of a_k s_kl (dy_l - m_k).
  return record("chunkwise", spread, {weights, energies},
                [a, u, each_row, window](const Tensor& upstream) -> Gradients {
                  const Tensor dy = upstream.packed();
                  Tensor d_weights = Tensor::zeros(a.shape()),
                         d_energies = Tensor::zeros(u.shape());
                  Real* const da = d_weights.mutable_data();
                  Real* const du = d_energies.mutable_data();
                  each_row([&](std::int64_t row, std::int64_t seen) {
                    std::vector<double> sums(static_cast<std::size_t>(seen), 0), share;
                    for (std::int64_t k = 0; k < seen; ++k) {
                      const std::int64_t begin = window(u.data() + row, k, share);
                      const Real* const g = dy.data() + row + begin;
                      double mean = 0;
                      for (std::size_t i = 0; i < share.size(); ++i) mean += share[i] * g[i];
                      da[row + k] = static_cast<Real>(mean);
                      for (std::size_t i = 0; i < share.size(); ++i) {
                        sums[static_cast<std::size_t>(begin) + i] +=
                            a.data()[row + k] * share[i] * (g[i] - mean);
                      }
                    }
                    for (std::size_t j = 0; j < sums.size(); ++j) {
                      du[row + static_cast<std::int64_t>(j)] = static_cast<Real>(sums[j]);
                    }
                  });
                  return {d_weights, d_energies};
                });
}

WholeWeighed weighed_of(const Variable& alignment) {
  const std::int64_t queries = alignment.size(2) - 1;
  return {slice(alignment, 2, 0, queries),
          reshape(slice(alignment, 2, queries, queries + 1), alignment.shape().without(2))};
}

Variable with_stopping_noise(const Variable& energies, double deviation, Random* noise) {
  if (noise == nullptr || deviation == 0) return energies;
  Tensor added(energies.shape());
  fill_normal(std::span(added.mutable_data(), static_cast<std::size_t>(added.size())), *noise, 0,
              static_cast<Real>(deviation));
  return energies + Variable(added);
}

}  // namespace heed::attention
