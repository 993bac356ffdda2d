// SPDX-License-Identifier: Apache-2.0
// Draws by the weights alone, one key by its chance or every key by its own, or from a structure.
#include <cmath>
#include <limits>

#include "heed/attention/normaliser.h"
#include "heed/attention/normalisers/row_math.h"
#include "heed/attention/normalisers/structured_row.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// Smaller chances are taken for 0: 1/p of the gradient stays finite.
constexpr double kLeastChance = std::numeric_limits<double>::min();

// The largest weight; of equal ones the largest score, and of these the first, so that parts which
// give several keys one weight do not favour the first of them.
std::size_t likeliest_key(std::span<const double> weights, std::span<const double> scores) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < weights.size(); ++i) {
    if (weights[i] < weights[best]) continue;
    if (weights[i] > weights[best] || scores[i] > scores[best]) best = i;
  }
  return best;
}

// The largest of log p + G, G Gumbel noise, is a draw from p, and masking a key leaves the noise of
// the others alone.
std::size_t drawn_key(const Row<double>& row, std::span<const double> weights) {
  std::size_t best = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] < kLeastChance) continue;
    const double noisy = std::log(weights[i]) + gumbel(row.random, row.keys[i]);
    if (noisy > highest) {
      highest = noisy;
      best = i;
    }
  }
  return best;
}

double entropy_term(double p) {
  return p > 0 ? -p * std::log(p) : 0;
}

// How upstream.log_probability log p(z) + upstream.entropy H changes with each weight. Outside the
// support the entropy has no slope to give: a sparse map passes nothing back there.
void draw_slopes(DrawnAs kind, std::span<const double> weights, std::span<const double> z,
                 const RowDraw<double>& upstream, std::span<double> slopes) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i];
    slopes[i] = 0;
    if (kind == DrawnAs::one_key) {
      if (z[i] > 0) slopes[i] += upstream.log_probability / std::max(p, kLeastChance);
      if (p > 0) slopes[i] -= upstream.entropy * (std::log(p) + 1);
    } else {
      const double chance = std::max(z[i] > 0 ? p : 1 - p, kLeastChance);
      slopes[i] += upstream.log_probability * (z[i] > 0 ? 1 : -1) / chance;
      if (p > 0 && p < 1) slopes[i] += upstream.entropy * (std::log1p(-p) - std::log(p));
    }
  }
}

// Adds both slopes of a draw from a structure, whose own functions overwrite those of the scores.
void add_structure_slopes(const RowStructure& structure, const Row<double>& row,
                          std::span<const double> z, const RowDraw<double>& upstream,
                          const RowGradient<double>& gradient) {
  const auto d_scores = row_memory<double, Purpose::draw_gradient>(z.size());
  const RowGradient<double> found{.scores = d_scores, .parameters = gradient.parameters};
  const auto add = [&] {
    for (std::size_t i = 0; i < z.size(); ++i) gradient.scores[i] += d_scores[i];
  };
  if (upstream.log_probability != 0) {
    structure.log_probability_backward(row, z, upstream.log_probability, found);
    add();
  }
  if (upstream.entropy != 0) {
    structure.entropy_backward(row, upstream.entropy, found);
    add();
  }
}

}  // namespace

void RowNormaliser::draw_from(const Row<double>& row, std::span<const double> weights,
                              std::span<double> z) const {
  if (has_nan(weights)) return fill_with_nan(z);
  if (const RowStructure* mine = structure()) {
    const Row<double> clamped = clamped_row(row);
    return row.random.likeliest ? mine->best(clamped, z) : mine->draw(clamped, z);
  }
  if (drawn_as() == DrawnAs::gates) {
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double level = row.random.likeliest ? 0.5 : 1 - row.random.uniform(row.keys[i]);
      z[i] = weights[i] >= level ? 1 : 0;
    }
    return;
  }
  std::fill(z.begin(), z.end(), 0.0);
  z[row.random.likeliest ? likeliest_key(weights, row.scores) : drawn_key(row, weights)] = 1;
}

RowDraw<double> RowNormaliser::draw_value(const Row<double>& row, std::span<const double> weights,
                                          std::span<const double> z) const {
  if (const RowStructure* mine = structure()) {
    const Row<double> clamped = clamped_row(row);
    return {mine->log_probability(clamped, z), mine->entropy(clamped)};
  }
  RowDraw<double> value;
  const bool gates = drawn_as() == DrawnAs::gates;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double p = weights[i];
    value.entropy += entropy_term(p) + (gates ? entropy_term(1 - p) : 0);
    if (z[i] > 0) value.log_probability += std::log(std::max(p, kLeastChance));
    if (z[i] == 0 && gates) value.log_probability += std::log(std::max(1 - p, kLeastChance));
  }
  return value;
}

void RowNormaliser::draw_backward(const Row<double>& row, std::span<const double> weights,
                                  std::span<const double> z, const RowDraw<double>& upstream,
                                  const RowGradient<double>& gradient) const {
  if (drawn_as() == DrawnAs::nothing) {
    throw InternalError("{}: it cannot be drawn from", card().name);
  }
  if (const RowStructure* mine = structure()) {
    return add_structure_slopes(*mine, clamped_row(row), z, upstream, gradient);
  }
  const auto slopes = row_memory<double, Purpose::draw_upstream>(weights.size());
  const auto d_scores = row_memory<double, Purpose::draw_gradient>(weights.size());
  draw_slopes(drawn_as(), weights, z, upstream, slopes);
  backward(row, weights, {.weights = slopes},
           {.scores = d_scores, .parameters = gradient.parameters, .bounds = gradient.bounds});
  for (std::size_t i = 0; i < d_scores.size(); ++i) gradient.scores[i] += d_scores[i];
}

}  // namespace heed::attention
