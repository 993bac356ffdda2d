// SPDX-License-Identifier: Apache-2.0
// Costs with some heads closed, and the gates by ordinary operations.
#include "heed/pipeline/head_gates.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/pipeline/probability.h"
#include "heed/training/optimiser.h"

namespace heed::pipeline {
namespace {

constexpr double kTemperature = .33, kLow = -.1, kHigh = 1.1;
constexpr Real kFirstScore = 2;  // open with some 95%

// What the score is shifted by for P(z > 0) = sigmoid(s - shift).
const double kShift = kTemperature * std::log(-kLow / kHigh);

Variable gates_of(const Variable& scores, const Tensor& noise) {
  const Variable soft = sigmoid((scores + Variable(noise)) / static_cast<Real>(kTemperature));
  return clamp(soft * static_cast<Real>(kHigh - kLow) + static_cast<Real>(kLow), 0, 1);
}

Tensor logistic_noise(const Shape& shape, Random& random) {
  Tensor noise(shape);
  for (std::int64_t i = 0; i < noise.size(); ++i) {
    const double u = std::clamp(random.uniform(), 1e-6, 1 - 1e-6);
    noise.mutable_data()[i] = static_cast<Real>(std::log(u) - std::log1p(-u));
  }
  return noise;
}

}  // namespace

HeadCost cost_of(const Watched& data, const std::vector<std::vector<std::size_t>>& batches,
                 attention::Observer* watch,
                 const std::function<void(std::size_t examples)>& done) {
  const NoGradient values_only;
  HeadCost cost;
  for (const std::vector<std::size_t>& batch : batches) {
    const WatchedRun run = data.run(batch, {.watch = watch});
    for (std::size_t b = 0; b < batch.size(); ++b) {
      cost.loss += require_probability(run.losses.value().at({static_cast<std::int64_t>(b)}),
                                       "example", batch[b] + 1);
      cost.units += run.units[b];
      cost.right += run.right[b];
    }
    if (done) done(batch.size());
  }
  if (cost.units > 0) {
    cost.loss /= cost.units;
    cost.right /= cost.units;
  }
  return cost;
}

std::vector<insight::HeadFactors::Entry> factors_of(std::span<const HeadSite> sites,
                                                    const std::vector<bool>& open) {
  std::vector<insight::HeadFactors::Entry> factors;
  std::size_t next = 0;
  for (const HeadSite& site : sites) {
    Tensor mine({1, site.heads});
    for (std::int64_t h = 0; h < site.heads; ++h) mine.mutable_data()[h] = open[next++] ? 1 : 0;
    factors.push_back({site.site, mine});
  }
  return factors;
}

std::vector<HeadGate> learn_gates(const Watched& data, std::span<const HeadSite> sites,
                                  std::span<const std::size_t> examples, const GateOptions& options,
                                  const std::function<void()>& done) {
  nn::Parameters scores;
  std::int64_t heads = 0;
  for (const HeadSite& site : sites) {
    scores.push_back({"gates", Variable::leaf(Tensor::full({1, site.heads}, kFirstScore))});
    scores.back().name += std::to_string(scores.size());
    heads += site.heads;
  }
  training::Optimiser optimiser(scores, training::Adam{});
  const nn::Parameters untouched = data.parameters();
  const std::vector<std::vector<std::size_t>> batches = data.batches(examples);
  Random random(options.seed);
  for (std::int64_t step = 0; step < options.steps; ++step) {
    const std::vector<std::size_t>& batch = batches[random.integer(batches.size())];
    std::vector<insight::HeadFactors::Entry> gates;
    Variable open(Tensor::scalar(0));
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const Variable& mine = scores[i].variable;
      gates.push_back({sites[i].site, gates_of(mine, logistic_noise(mine.shape(), random))});
      open = open + sum(sigmoid(mine - static_cast<Real>(kShift)));
    }
    insight::HeadFactors factors(gates);
    const WatchedRun run = data.run(batch, {.watch = &factors});
    double units = 0;
    for (const double one : run.units) units += one;
    const Variable loss = sum(run.losses) / static_cast<Real>(std::max(units, 1.0));
    backward(loss + open * static_cast<Real>(options.penalty / static_cast<double>(heads)));
    optimiser.step({.learning_rate = options.rate});
    nn::clear_gradients(untouched);
    if (done) done();
  }
  std::vector<HeadGate> gates;
  for (const nn::Parameter& one : scores) {
    const Tensor without_noise =
        gates_of(one.variable, Tensor::zeros(one.variable.shape())).value();
    for (std::int64_t h = 0; h < one.variable.size(1); ++h) {
      const double score = static_cast<double>(one.variable.value().at({0, h}));
      gates.push_back({score, 1 / (1 + std::exp(kShift - score)), without_noise.at({0, h}) > 0});
    }
  }
  return gates;
}

}  // namespace heed::pipeline
