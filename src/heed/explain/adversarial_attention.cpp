// SPDX-License-Identifier: Apache-2.0
// Corners of the simplex between two planes, and climbing inside it.
//
// A corner of {p in the simplex: low <= p·s <= high} lies on T - 1 of its faces. Of these at most
// one is a plane p·s = c, so at least T - 2 entries are 0: single words whose score is within the
// limits, and pairs i, j with p_i = (c - s_j) / (s_i - s_j) for c at either limit.
#include "heed/explain/adversarial_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/metrics/divergence.h"

namespace heed::explain {
namespace {

void check(std::span<const double> weights, std::span<const double> scores, double low,
           double high) {
  if (weights.size() != scores.size() || weights.empty()) {
    throw UsageError("adversarial attention: {} weights and {} scores; it takes one of each word",
                     weights.size(), scores.size());
  }
  double sum = 0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (!(weights[t] >= 0) || !std::isfinite(scores[t])) {
      throw UsageError("adversarial attention: word {} has weight {} and score {}", t + 1,
                       weights[t], scores[t]);
    }
    sum += weights[t];
  }
  if (std::abs(sum - 1) > 1e-3) {
    throw UsageError("adversarial attention: weights add up to {}; it takes a distribution", sum);
  }
  if (!(low <= high)) {
    throw UsageError("adversarial attention: outputs from {} to {}; the smaller comes first", low,
                     high);
  }
}

// What a word adds to twice the divergence: p of the adversary, q of the model.
double term(double p, double q) {
  const double mean = (p + q) / 2;
  return (p > 0 ? p * std::log(p / mean) : 0) + (q > 0 ? q * std::log(q / mean) : 0);
}

// The corner that is farthest so far: words i and j (or i alone), i with p.
struct Corner {
  std::size_t i = 0, j = 0;
  double p = 1;
  double divergence = -1;
};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t t = 0; t < a.size(); ++t) sum += a[t] * b[t];
  return sum;
}

// A softmax of numbers that follow the gradient.
class Climber {
 public:
  Climber(std::span<const double> weights, std::span<const double> scores, double low, double high,
          const ClimbOptions& options, Random& random)
      : weights_(weights), scores_(scores), low_(low), high_(high), options_(options) {
    for (std::size_t t = 0; t < weights.size(); ++t) logits_.push_back(3 * random.normal());
    first_.assign(weights.size(), 0);
    second_.assign(weights.size(), 0);
  }

  std::vector<double> shares() const {
    std::vector<double> shares = logits_;
    const double most = std::ranges::max(shares);
    double sum = 0;
    for (double& one : shares) sum += one = std::exp(one - most);
    for (double& one : shares) one /= sum;
    return shares;
  }

  void step(int number) {
    const std::vector<double> p = shares();
    const double output = dot(p, scores_);
    const double beyond = output > high_ ? 1 : output < low_ ? -1 : 0;
    std::vector<double> slope(p.size());
    for (std::size_t t = 0; t < p.size(); ++t) {
      // d/dp of the divergence is ln(2p / (p + q)) / 2.
      slope[t] =
          .5 * std::log(2 * p[t] / (p[t] + weights_[t])) - options_.penalty * beyond * scores_[t];
    }
    const double mean = dot(p, slope);
    constexpr double kFirst = .9, kSecond = .999;
    for (std::size_t t = 0; t < p.size(); ++t) {
      const double gradient = p[t] * (slope[t] - mean);
      first_[t] = kFirst * first_[t] + (1 - kFirst) * gradient;
      second_[t] = kSecond * second_[t] + (1 - kSecond) * gradient * gradient;
      logits_[t] += options_.rate * first_[t] / (1 - std::pow(kFirst, number)) /
                    (std::sqrt(second_[t] / (1 - std::pow(kSecond, number))) + 1e-8);
    }
  }

 private:
  std::span<const double> weights_, scores_;
  double low_, high_;
  ClimbOptions options_;
  std::vector<double> logits_, first_, second_;
};

// Weights dealt to words, changed by swaps that keep the output within the limits.
class Dealer {
 public:
  Dealer(std::span<const double> weights, std::span<const double> scores, double low, double high)
      : own_(weights),
        scores_(scores),
        low_(low),
        high_(high),
        dealt_(weights.begin(), weights.end()),
        output_(dot(weights, scores)) {}

  void swap_at_random(Random& random) {
    for (std::size_t tries = 3 * dealt_.size(); tries > 0; --tries) {
      const std::size_t i = random.integer(dealt_.size()), j = random.integer(dealt_.size());
      if (within(i, j)) swap(i, j);
    }
  }
  void climb() {
    for (bool better = true; better;) {
      better = false;
      for (std::size_t i = 0; i < dealt_.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (gain(i, j) <= 1e-12 || !within(i, j)) continue;
          swap(i, j);
          better = true;
        }
      }
    }
  }
  const std::vector<double>& dealt() const { return dealt_; }

 private:
  // What a swap adds to twice the divergence.
  double gain(std::size_t i, std::size_t j) const {
    return term(dealt_[j], own_[i]) + term(dealt_[i], own_[j]) - term(dealt_[i], own_[i]) -
           term(dealt_[j], own_[j]);
  }
  double after(std::size_t i, std::size_t j) const {
    return output_ + (dealt_[j] - dealt_[i]) * (scores_[i] - scores_[j]);
  }
  bool within(std::size_t i, std::size_t j) const {
    return i != j && after(i, j) >= low_ && after(i, j) <= high_;
  }
  void swap(std::size_t i, std::size_t j) {
    output_ = after(i, j);
    std::swap(dealt_[i], dealt_[j]);
  }

  std::span<const double> own_, scores_;
  double low_, high_;
  std::vector<double> dealt_;
  double output_;
};

}  // namespace

std::optional<Adversary> farthest_weights(std::span<const double> weights,
                                          std::span<const double> scores, double low, double high) {
  check(weights, scores, low, high);
  // Words with p = 0 add q ln 2 each.
  double rest = 0;
  for (const double q : weights) rest += q * std::numbers::ln2;
  Corner best;
  const auto consider = [&](std::size_t i, std::size_t j, double p) {
    const auto of = [&](std::size_t t, double share) {
      return term(share, weights[t]) - weights[t] * std::numbers::ln2;
    };
    const double divergence = (rest + of(i, p) + (i == j ? 0 : of(j, 1 - p))) / 2;
    if (divergence > best.divergence) best = {i, j, p, divergence};
  };
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= low && scores[i] <= high) consider(i, i, 1);
    for (std::size_t j = 0; j < i; ++j) {
      if (scores[i] == scores[j]) continue;
      for (const double limit : {low, high}) {
        const double p = (limit - scores[j]) / (scores[i] - scores[j]);
        if (p > 0 && p < 1) consider(i, j, p);
      }
    }
  }
  if (best.divergence < 0) return std::nullopt;
  Adversary found{.weights = std::vector<double>(weights.size(), 0), .divergence = best.divergence};
  found.weights[best.j] = 1 - best.p;
  found.weights[best.i] = best.p;
  return found;
}

Adversary climbed_weights(std::span<const double> weights, std::span<const double> scores,
                          double low, double high, const ClimbOptions& options) {
  check(weights, scores, low, high);
  Random random(options.seed);
  Adversary best{.weights = {weights.begin(), weights.end()}};
  for (int start = 0; start < options.starts; ++start) {
    Climber climber(weights, scores, low, high, options, random);
    for (int number = 1; number <= options.steps; ++number) {
      climber.step(number);
      std::vector<double> shares = climber.shares();
      const double output = dot(shares, scores);
      if (output < low || output > high) continue;
      const double divergence = metrics::jensen_shannon(shares, weights);
      if (divergence > best.divergence) best = {std::move(shares), divergence};
    }
  }
  return best;
}

Adversary dealt_weights(std::span<const double> weights, std::span<const double> scores, double low,
                        double high, const DealOptions& options) {
  check(weights, scores, low, high);
  constexpr double kRounding = 1e-9;
  const double own = dot(weights, scores);
  if (own < low - kRounding || own > high + kRounding) {
    throw UsageError("adversarial attention: the weights' own output {} is not from {} to {}", own,
                     low, high);
  }
  Random random(options.seed);
  Adversary best{.weights = {weights.begin(), weights.end()}};
  for (int start = 0; start < options.starts; ++start) {
    Dealer dealer(weights, scores, std::min(low, own), std::max(high, own));
    if (start > 0) dealer.swap_at_random(random);
    dealer.climb();
    const double divergence = metrics::jensen_shannon(dealer.dealt(), weights);
    if (divergence > best.divergence) best = {dealer.dealt(), divergence};
  }
  return best;
}

}  // namespace heed::explain
