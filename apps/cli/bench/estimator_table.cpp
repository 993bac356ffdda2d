// SPDX-License-Identifier: Apache-2.0
// Estimates by the catalogue's own parts: all draws by their chance where they can be listed, else
// many of them.
#include "cli/bench/estimator_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "heed/attention/make_parts.h"
#include "heed/attention/normaliser.h"
#include "heed/base/error.h"
#include "heed/insight/draw/comparison_plot.h"

namespace heed::cli {
namespace {

using attention::RowNormaliser;
using Numbers = std::vector<double>;

// Keys, values and target of "estimators" in tests/golden/structured.json.
constexpr std::size_t kKeys = 6;
const Numbers kScores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5};
constexpr std::array<std::array<double, 2>, kKeys> kValues = {
    {{1, 0}, {0, 1}, {-1, 0.5}, {0.5, -1}, {2, 1}, {0, -0.5}}};
constexpr std::array<double, 2> kTarget = {0.5, 0.5};
constexpr std::array<std::int32_t, kKeys> kPlaces = {0, 1, 2, 3, 4, 5};

std::array<double, 2> residual(const Numbers& w) {
  std::array<double, 2> r = {-kTarget[0], -kTarget[1]};
  for (std::size_t i = 0; i < kKeys; ++i) {
    for (std::size_t d = 0; d < 2; ++d) r[d] += kValues[i][d] * w[i];
  }
  return r;
}
// l(w) = |V^T w - t|^2 / 2
double loss(const Numbers& w) {
  const auto r = residual(w);
  return (r[0] * r[0] + r[1] * r[1]) / 2;
}
Numbers loss_gradient(const Numbers& w) {
  const auto r = residual(w);
  Numbers g(kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) g[i] = kValues[i][0] * r[0] + kValues[i][1] * r[1];
  return g;
}
Numbers one_hot(std::size_t key) {
  Numbers w(kKeys, 0.0);
  w[key] = 1;
  return w;
}
Numbers losses_of_keys() {
  Numbers all(kKeys);
  for (std::size_t k = 0; k < kKeys; ++k) all[k] = loss(one_hot(k));
  return all;
}

double inner(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A normaliser of the catalogue on the one row there is.
class RowPart {
 public:
  explicit RowPart(const std::string& written) : part_(attention::normaliser_of(written)) {}
  const RowNormaliser& rows() const { return dynamic_cast<const RowNormaliser&>(*part_); }

  attention::Row<double> row(const Numbers& scores, attention::RowRandom random = {}) const {
    return {.scores = scores, .keys = kPlaces, .random = random};
  }
  Numbers weights(const Numbers& scores = kScores, attention::RowRandom random = {}) const {
    Numbers w(kKeys);
    rows().forward(row(scores, random), w);
    return w;
  }
  // The gradient of the scores: what passes through the weights w, and through their draw.
  Numbers gradient(const Numbers& w, const Numbers& upstream, double log_probability = 0,
                   attention::RowRandom random = {}) const {
    Numbers dz(kKeys);
    rows().backward(row(kScores, random), w,
                    {.weights = upstream, .log_probability = log_probability}, {.scores = dz});
    return dz;
  }
  // d log p(key)
  Numbers score(std::size_t key) const {
    Numbers dz(kKeys, 0.0);
    rows().draw_backward(row(kScores), weights(), one_hot(key), {.log_probability = 1},
                         {.scores = dz});
    return dz;
  }

 private:
  std::unique_ptr<attention::Normaliser> part_;
};

// Mean and covariance of estimates, each with its chance.
class Moments {
 public:
  void add(double chance, const Numbers& estimate) {
    total_ += chance;
    for (std::size_t i = 0; i < kKeys; ++i) {
      sum_[i] += chance * estimate[i];
      squares_ += chance * estimate[i] * estimate[i];
    }
  }
  Estimator against(const Numbers& exact, std::string name, int losses) const {
    Estimator found{.name = std::move(name), .mean = sum_, .losses = losses};
    for (double& value : found.mean) value /= total_;
    Numbers off = found.mean;
    for (std::size_t i = 0; i < kKeys; ++i) off[i] -= exact[i];
    const double size = std::sqrt(inner(exact, exact)), mean = inner(found.mean, found.mean);
    found.bias = std::sqrt(inner(off, off)) / size;
    found.cosine = mean > 0 ? inner(found.mean, exact) / (size * std::sqrt(mean)) : 0;
    // What is left of two equal numbers is rounding.
    found.variance = std::max(squares_ / total_ - mean, 0.0);
    if (found.variance < 1e-12 * mean) found.variance = 0;
    return found;
  }

 private:
  double total_ = 0, squares_ = 0;
  Numbers sum_ = Numbers(kKeys, 0.0);
};

class Table {
 public:
  explicit Table(const EstimatorOptions& options) : options_(options) {
    p_ = softmax_.weights();
    losses_ = losses_of_keys();
    mean_loss_ = inner(p_, losses_);
    exact_ = softmax_.gradient(p_, losses_);
    for (std::size_t k = 0; k < kKeys; ++k) scores_.push_back(softmax_.score(k));
  }

  std::vector<Estimator> measure() {
    add_sums();
    add_score_functions();
    add_straight_through();
    for (const char* form : {"false", "true"}) {
      for (const char* temperature : {"1", "0.5", "0.1"}) {
        const bool hard = form == std::string("true");
        add_sampled(
            fmt::format("Gumbel-softmax, {}, T = {}", hard ? "hard" : "soft", temperature),
            RowPart(fmt::format("gumbel_softmax(temperature={}, hard={})", temperature, form)));
      }
    }
    add_perturbed();
    for (const char* lambda : {"0.5", "1", "5"}) {
      add_sampled(fmt::format("I-MLE, λ = {}", lambda),
                  RowPart(fmt::format("perturbed(lambda={})", lambda)));
    }
    for (const char* step : {"0.5", "1"}) {
      add_certain(fmt::format("SPIGOT, η = {}", step), fmt::format("spigot(step={})", step));
    }
    return std::move(rows_);
  }

 private:
  // Exact, each for the loss that its own weights give on average: by differences of that.
  void add_sums() {
    for (const char* written : {"softmax", "sparsemax", "entmax(alpha=1.5)"}) {
      const RowPart part(written);
      const Numbers p = part.weights();
      Numbers exact(kKeys), moved = kScores;
      for (std::size_t i = 0; i < kKeys; ++i) {
        const double step = 1e-5;
        moved[i] = kScores[i] + step;
        const double above = inner(part.weights(moved), losses_);
        moved[i] = kScores[i] - step;
        exact[i] = (above - inner(part.weights(moved), losses_)) / (2 * step);
        moved[i] = kScores[i];
      }
      Moments moments;
      moments.add(1, part.gradient(p, losses_));
      const auto support = std::ranges::count_if(p, [](double weight) { return weight > 0; });
      rows_.push_back(moments.against(
          exact, fmt::format("sum, {}, mean loss {:.4f}", written, inner(p, losses_)),
          static_cast<int>(support)));
    }
  }

  void add_score_functions() {
    double numerator = 0, denominator = 0;  // of the baseline with the least variance
    for (std::size_t k = 0; k < kKeys; ++k) {
      const double size = p_[k] * inner(scores_[k], scores_[k]);
      numerator += size * losses_[k];
      denominator += size;
    }
    const auto best = static_cast<std::size_t>(std::ranges::max_element(p_) - p_.begin());
    add_score_function("score function, b = 0", 0, 1);
    add_score_function("score function, b = mean loss", mean_loss_, 1);
    add_score_function(fmt::format("score function, b = {:.4f} (best)", numerator / denominator),
                       numerator / denominator, 1);
    add_score_function("score function, self-critical", losses_[best], 2);
    for (const int m : {2, 4}) add_leave_one_out(m);
  }
  void add_score_function(const std::string& name, double baseline, int losses) {
    Moments moments;
    for (std::size_t k = 0; k < kKeys; ++k) {
      Numbers estimate = scores_[k];
      for (double& value : estimate) value *= losses_[k] - baseline;
      moments.add(p_[k], estimate);
    }
    rows_.push_back(moments.against(exact_, name, losses));
  }
  // 1/(m-1) sum (l_i - mean l) d log p(k_i), over all m draws.
  void add_leave_one_out(int m) {
    Moments moments;
    std::vector<std::size_t> keys(static_cast<std::size_t>(m), 0);
    for (bool more = true; more;) {
      double chance = 1, mean = 0;
      for (const std::size_t k : keys) {
        chance *= p_[k];
        mean += losses_[k] / m;
      }
      Numbers estimate(kKeys, 0.0);
      for (const std::size_t k : keys) {
        for (std::size_t i = 0; i < kKeys; ++i) {
          estimate[i] += (losses_[k] - mean) * scores_[k][i] / (m - 1);
        }
      }
      moments.add(chance, estimate);
      more = false;
      for (std::size_t& k : keys) {
        k = (k + 1) % kKeys;
        more = k > 0;
        if (more) break;
      }
    }
    rows_.push_back(moments.against(exact_, fmt::format("leave-one-out, m = {}", m), m));
  }

  void add_straight_through() {
    Moments moments;
    for (std::size_t k = 0; k < kKeys; ++k) {
      moments.add(p_[k], softmax_.gradient(p_, loss_gradient(one_hot(k))));
    }
    rows_.push_back(moments.against(exact_, "straight-through, a draw", 1));
    add_certain("straight-through, the best key", "straight_through");
    add_certain("straight-through, identity", "straight_through(gradient=identity)");
  }
  void add_certain(const std::string& name, const std::string& written) {
    const RowPart part(written);
    const Numbers w = part.weights();
    Moments moments;
    moments.add(1, part.gradient(w, loss_gradient(w)));
    rows_.push_back(moments.against(exact_, name, 1));
  }

  void add_perturbed() {
    const RowPart part("perturbed(gradient=score)");
    for (const auto& [text, baseline] : {std::pair{"0", 0.0}, {"mean loss", mean_loss_}}) {
      const Numbers none(kKeys, 0.0);
      add_draws(fmt::format("perturbed, b = {}", text), [&, b = baseline](auto random) {
        const Numbers w = part.weights(kScores, random);
        return part.gradient(w, none, loss(w) - b, random);
      });
    }
  }
  void add_sampled(const std::string& name, const RowPart& part) {
    add_draws(name, [&](auto random) {
      const Numbers w = part.weights(kScores, random);
      return part.gradient(w, loss_gradient(w), 0, random);
    });
  }
  void add_draws(const std::string& name,
                 const std::function<Numbers(attention::RowRandom)>& estimate) {
    Moments moments;
    for (std::int64_t i = 0; i < options_.draws; ++i) {
      moments.add(1, estimate({.seed = options_.seed, .row = static_cast<std::uint64_t>(i)}));
    }
    Estimator found = moments.against(exact_, name, 1);
    found.error =
        std::sqrt(found.variance / static_cast<double>(options_.draws) / inner(exact_, exact_));
    rows_.push_back(found);
  }

  EstimatorOptions options_;
  RowPart softmax_{"softmax"};
  Numbers p_, losses_, exact_;
  double mean_loss_ = 0;
  std::vector<Numbers> scores_;  // d log p(k)
  std::vector<Estimator> rows_;
};

}  // namespace

std::vector<Estimator> measure_estimators(const EstimatorOptions& options) {
  if (options.draws < 2) {
    throw UsageError("estimators: {} draws; a variance takes at least 2", options.draws);
  }
  return Table(options).measure();
}

std::string estimators_svg(std::span<const Estimator> estimators) {
  std::vector<insight::ComparedPanel> panels = {
      {.measure = "bias"}, {.measure = "cosine"}, {.measure = "variance"}};
  for (const Estimator& one : estimators) {
    panels[0].bars.push_back({.name = one.name,
                              .value = one.bias,
                              .low = std::max(one.bias - 2 * one.error, 0.0),
                              .high = one.bias + 2 * one.error});
    panels[1].bars.push_back({one.name, one.cosine, one.cosine, one.cosine});
    panels[2].bars.push_back({one.name, one.variance, one.variance, one.variance});
  }
  return insight::comparison_svg(panels);
}

}  // namespace heed::cli
