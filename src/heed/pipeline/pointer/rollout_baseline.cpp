// SPDX-License-Identifier: Apache-2.0
// A frozen copy, and when it is replaced.
#include "heed/pipeline/pointer/rollout_baseline.h"

#include <fmt/format.h>

#include <numeric>

#include "heed/base/error.h"
#include "heed/pipeline/pointer/point_search.h"

namespace heed::pipeline {
namespace {

constexpr std::uint64_t kComparedSets = 0xC0'0000;  // batches of points that no training reaches
constexpr const char* kMean = "baseline mean";
constexpr const char* kCopy = "copy.";

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

}  // namespace

std::vector<double> greedy_lengths(const models::PointModel& model,
                                   std::span<const corpora::PointSet> sets) {
  std::vector<corpora::Points> points;
  for (const corpora::PointSet& set : sets) points.push_back(set.points);
  const std::vector<FoundRoute> found = find_routes(model, points);
  std::vector<double> lengths;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    lengths.push_back(corpora::tour_length(sets[i].points, found[i].route));
  }
  return lengths;
}

RolloutBaseline::RolloutBaseline(const models::PointModel& model, const Make& make,
                                 const RolloutBaselineOptions& options)
    : model_(model), copy_(make()), options_(options) {
  freeze();
}

void RolloutBaseline::freeze() {
  const nn::Parameters from = nn::parameters(model_);
  nn::Parameters to = nn::parameters(*copy_);
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].variable.mutable_value().assign(from[i].variable.value());
  }
}

std::string RolloutBaseline::begin(std::uint64_t number) {
  if (number == 0 || number % options_.epoch_batches != 0) return {};
  const std::uint64_t epoch = number / options_.epoch_batches;
  if (epoch == 1) {
    freeze();
    return {};
  }
  const std::vector<corpora::PointSet> sets = corpora::draw_sets({.task = corpora::PointTask::tour,
                                                                  .count = options_.sets,
                                                                  .points = options_.points,
                                                                  .seed = options_.seed,
                                                                  .batch = kComparedSets + epoch,
                                                                  .answers = false});
  const std::vector<double> mine = greedy_lengths(model_, sets);
  const std::vector<double> its = greedy_lengths(*copy_, sets);
  const metrics::PairedTTest test = metrics::paired_t_test(mine, its);
  const bool better = test.p < options_.significance;
  if (better) freeze();
  // Draws that are always the likeliest tour have no gradient: the weights have collapsed.
  return fmt::format("epoch {}: greedy tours of {:.4f}, of the best copy {:.4f} (p = {:.2g}): {}",
                     epoch, mean_of(mine), mean_of(its), test.p,
                     better        ? "the model is the copy now"
                     : mine == its ? "they are the same tours, so that nothing is learnt any more; "
                                     "start over with a lower --learning-rate"
                                   : "the copy stays");
}

std::vector<double> RolloutBaseline::operator()(std::uint64_t number,
                                                std::span<const corpora::PointSet> sets,
                                                std::span<const double> lengths) {
  if (number >= options_.epoch_batches) return greedy_lengths(*copy_, sets);
  const double now = mean_of(lengths);
  const double mean = has_mean_ ? options_.average * mean_ + (1 - options_.average) * now : now;
  mean_ = static_cast<Real>(mean);  // as a checkpoint keeps it
  has_mean_ = true;
  return std::vector<double>(sets.size(), mean_);
}

std::map<std::string, Tensor> RolloutBaseline::carried() const {
  std::map<std::string, Tensor> all;
  for (const nn::Parameter& parameter : nn::parameters(std::as_const(*copy_))) {
    all.emplace(kCopy + parameter.name, parameter.variable.value().clone());
  }
  all.emplace(kMean, Tensor::of({2}, {has_mean_ ? Real{1} : Real{0}, mean_}));
  return all;
}

void RolloutBaseline::carry(const std::map<std::string, Tensor>& carried) {
  const auto part = [&](const std::string& name) {
    const auto found = carried.find(name);
    if (found == carried.end()) {
      throw DataError("checkpoint: \"{}\" of the baseline is missing", name);
    }
    return found->second;
  };
  for (nn::Parameter& parameter : nn::parameters(*copy_)) {
    const Tensor value = part(kCopy + parameter.name);
    if (value.shape() != parameter.variable.shape()) {
      throw DataError("checkpoint: \"{}\" of the baseline is {}, and {} is needed", parameter.name,
                      value.shape().text(), parameter.variable.shape().text());
    }
    parameter.variable.mutable_value().assign(value);
  }
  const Tensor mean = part(kMean);
  has_mean_ = mean.at({0}) != 0;
  mean_ = mean.at({1});
}

}  // namespace heed::pipeline
