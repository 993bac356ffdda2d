// SPDX-License-Identifier: Apache-2.0
// Losses of draws by ordinary ops, and what a baseline remembers.
#include "heed/training/score_function.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::training {
namespace {

void check_drawn(const char* name, const Tensor& losses, const DrawnLogs& drawn) {
  const Shape& shape = losses.shape();
  for (const Variable* logs : {&drawn.log_probability, &drawn.entropy}) {
    if (logs == &drawn.entropy && !logs->defined()) continue;
    if (!logs->defined() || logs->shape() != shape) {
      throw UsageError("{}: losses {}, but {} {}; their shapes must be equal", name, shape.text(),
                       logs == &drawn.entropy ? "entropies" : "log-probabilities",
                       logs->defined() ? logs->shape().text() : "that are undefined");
    }
  }
}

Variable with_bonus(const Variable& taught, const DrawnLogs& drawn, Real bonus, const char* name) {
  if (bonus == 0) return taught;
  if (!drawn.entropy.defined()) {
    throw UsageError("{}: a bonus of {} without entropies; give DrawnLogs::entropy", name, bonus);
  }
  return taught - bonus * drawn.entropy;
}

double mean_number(const Tensor& x) {
  double sum = 0;
  for (const Real value : x.values()) sum += value;
  return sum / static_cast<double>(x.size());
}

double deviation_of(const Tensor& x) {
  const double mean = mean_number(x);
  double squares = 0;
  for (const Real value : x.values()) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(x.size()));
}

}  // namespace

Variable score_function(const Tensor& losses, const DrawnLogs& drawn,
                        const ScoreFunctionOptions& options) {
  check_drawn("score_function", losses, drawn);
  if (losses.rank() != 1) {
    throw UsageError("score_function: losses {}; it takes [B]", losses.shape().text());
  }
  Tensor advantage = losses;
  if (options.baseline.defined()) {
    const Shape& found = options.baseline.shape();
    if (found != losses.shape() && found != Shape{1}) {
      throw UsageError("score_function: a baseline {} for losses {}; it takes {} or [1]",
                       found.text(), losses.shape().text(), losses.shape().text());
    }
    advantage = losses - options.baseline;
  }
  if (options.unit_deviation && losses.size() > 1) {
    // Equal losses have no deviation: nothing to divide by.
    advantage = advantage * static_cast<Real>(1 / std::max(deviation_of(advantage), 1e-8));
  }
  return with_bonus(drawn.log_probability * advantage, drawn, options.bonus, "score_function");
}

Variable leave_one_out(const Tensor& losses, const DrawnLogs& drawn, Real bonus) {
  check_drawn("leave_one_out", losses, drawn);
  if (losses.rank() != 2 || losses.size(0) < 2) {
    throw UsageError("leave_one_out: losses {}; it takes [m,B], m of at least 2 draws",
                     losses.shape().text());
  }
  // l_i less the mean of the others is m/(m-1) (l_i - mean l).
  const std::int64_t m = losses.size(0);
  const Tensor centred = losses - heed::sum(losses, 0) * (Real{1} / static_cast<Real>(m));
  const Tensor advantage = centred * (static_cast<Real>(m) / static_cast<Real>(m - 1));
  return mean(with_bonus(drawn.log_probability * advantage, drawn, bonus, "leave_one_out"), 0);
}

Tensor RunningMean::baseline() const {
  return Tensor::full({1}, weight > 0 ? sum / weight : 0);
}

void RunningMean::update(const Tensor& losses) {
  if (losses.size() == 0) return;
  sum = static_cast<Real>(decay * sum + (1 - decay) * mean_number(losses));
  weight = static_cast<Real>(decay * weight + (1 - decay));
}

Variable LearnedBaseline::operator()(const Variable& features) const {
  if (features.rank() != 2) {
    throw UsageError("learned baseline: features {}; it takes [B,D]", features.shape().text());
  }
  return reshape(linear(stop_gradient(features)), {features.size(0)});
}

Variable LearnedBaseline::loss(const Variable& baseline, const Tensor& losses) const {
  return square(baseline - losses) * Real(0.5);
}

Variable sum_over_support(const Variable& p, const Variable& losses) {
  if (p.shape() != losses.shape() || p.rank() < 1) {
    throw UsageError("sum_over_support: chances {}, losses {}; their shapes must be equal",
                     p.shape().text(), losses.shape().text());
  }
  const Variable read = where(p.value(), losses, Tensor::zeros(losses.shape()));
  return sum(p * read, p.rank() - 1);
}

}  // namespace heed::training
