// SPDX-License-Identifier: Apache-2.0
// One pass over memory per update of the moving average.
#include "heed/training/ema.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/threads.h"

namespace heed::training {
namespace {

constexpr std::size_t kGrain = 1 << 14;  // elements that pay for a thread

}  // namespace

Ema::Ema(nn::Parameters parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  if (!(decay > 0 && decay < 1)) {
    throw UsageError("ema: the decay is {}; it takes more than 0 and less than 1", decay);
  }
  for (const nn::Parameter& parameter : parameters_) {
    averages_.push_back(parameter.variable.value().clone());
  }
}

void Ema::update(std::int64_t t) {
  const auto updates = static_cast<double>(t);
  const auto share = static_cast<Real>(1 - std::min(decay_, (1 + updates) / (10 + updates)));
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor latest = parameters_[i].variable.value().packed();
    const Real* from = latest.data();
    Real* average = averages_[i].mutable_data();
    parallel_for(static_cast<std::size_t>(latest.size()), kGrain,
                 [=](std::size_t begin, std::size_t end) {
                   for (std::size_t j = begin; j < end; ++j) {
                     average[j] += share * (from[j] - average[j]);
                   }
                 });
  }
}

void Ema::swap() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    // In place: the model and the optimiser see these very elements.
    Tensor& value = parameters_[i].variable.mutable_value();
    const Tensor latest = value.clone();
    value.assign(averages_[i]);
    averages_[i].assign(latest);
  }
}

std::map<std::string, Tensor> Ema::state() const {
  std::map<std::string, Tensor> all;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    all.emplace(parameters_[i].name, averages_[i]);
  }
  return all;
}

void Ema::restore(const std::map<std::string, Tensor>& state) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto found = state.find(parameters_[i].name);
    if (found == state.end()) {
      throw DataError("moving average: {} is missing", parameters_[i].name);
    }
    if (found->second.shape() != averages_[i].shape()) {
      throw DataError("moving average: {} has shape {}; it takes {}", parameters_[i].name,
                      found->second.shape().text(), averages_[i].shape().text());
    }
  }
  if (state.size() != parameters_.size()) {
    throw DataError("moving average: {} tensors; the model has {}", state.size(),
                    parameters_.size());
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    averages_[i].assign(state.at(parameters_[i].name));
  }
}

}  // namespace heed::training
