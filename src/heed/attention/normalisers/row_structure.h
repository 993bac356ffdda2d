// SPDX-License-Identifier: Apache-2.0
// RowStructure: a distribution over choices of keys of one row, p(z) ~ exp(score(z)), z_i = 1 where
// key i is chosen, over those choices that the structure has: a chain, one span, exactly k keys. A
// normaliser whose weights are its expectation derives from it, and who wants choices instead
// (hard attention, rationales) asks Normaliser::structure().
//
// Everything is computed in double, and backward computes again what it needs: nothing is kept
// between calls. Scores are finite. A row's parameters are those of the normaliser: empty where
// nothing is learnt. Gradients are as normalisers write them: those of scores are overwritten,
// those of parameters, where they are wanted, are added to.
#pragma once  // public header

#include <span>

#include "heed/attention/normaliser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

class RowStructure {
 public:
  virtual ~RowStructure() = default;

  // A = log of the sum of exp(score(z)) over all choices; its gradient is the marginals.
  virtual double log_partition(const Row<double>& row) const = 0;
  // mu_i, the probability that key i is chosen.
  virtual void marginals(const Row<double>& row, std::span<double> mu) const = 0;
  // The gradient of <upstream, mu>.
  virtual void marginals_backward(const Row<double>& row, std::span<const double> upstream,
                                  const RowGradient<double>& gradient) const = 0;
  // The choice of the highest score; of equals always the same one, as each structure says.
  virtual void best(const Row<double>& row, std::span<double> z) const = 0;
  // A choice drawn from the distribution by the row's random numbers.
  virtual void draw(const Row<double>& row, std::span<double> z) const = 0;
  // Minus infinity where the structure has no such choice.
  virtual double score(const Row<double>& row, std::span<const double> z) const = 0;

  // log p(z), and upstream times its gradient, which is z - mu for the scores.
  double log_probability(const Row<double>& row, std::span<const double> z) const;
  virtual void log_probability_backward(const Row<double>& row, std::span<const double> z,
                                        double upstream, const RowGradient<double>& gradient) const;

  // -sum p(z) log p(z), and upstream times its gradient. As they stand they are those of a score
  // that is <scores, z>; one with other terms has its own.
  virtual double entropy(const Row<double>& row) const;
  virtual void entropy_backward(const Row<double>& row, double upstream,
                                const RowGradient<double>& gradient) const;

 protected:
  RowStructure() = default;
  RowStructure(const RowStructure&) = default;
  RowStructure& operator=(const RowStructure&) = default;
};

}  // namespace heed::attention

#pragma GCC visibility pop
