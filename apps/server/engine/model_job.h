// SPDX-License-Identifier: Apache-2.0
// ModelJob: a job that a route gives to the engine, done on the engine's thread, alone or as a
// batch, and read as JSON by whoever waited.
#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "heed/text/batch_plan.h"
#include "server/engine/job.h"
#include "server/engine/served_model.h"

namespace heed::server {

// A job whose answer is JSON, once it has ended well.
class AnsweringJob : public Job {
 public:
  using Job::Job;
  virtual nlohmann::ordered_json answer() const = 0;
};

class ModelJob : public AnsweringJob {
 public:
  ModelJob(JobSetting setting, ModelPointer model)
      : AnsweringJob(std::move(setting)), model_(std::move(model)) {}

 protected:
  const ServedModel& served() const { return *model_; }
  // The model as the class of its kind, which the route has asked for.
  template <typename Kind>
  const Kind& as() const {
    return dynamic_cast<const Kind&>(*model_->model);
  }

 private:
  ModelPointer model_;
};

// Tokens in one call of a model: the queue has cut the batch already.
inline constexpr text::BatchSize kWholeBatch{.tokens = 1 << 16};

// The jobs of a batch, which are all of one class.
template <typename Own>
std::vector<Own*> all_of(std::span<const Job::Pointer> batch) {
  std::vector<Own*> jobs;
  for (const Job::Pointer& job : batch) jobs.push_back(static_cast<Own*>(job.get()));
  return jobs;
}

// JSON has no infinities.
inline nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value)
                              : nlohmann::ordered_json(value > 0 ? 1e308 : -1e308);
}

inline nlohmann::ordered_json finite_list(const std::vector<float>& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const float value : values) list.push_back(finite(value));
  return list;
}

}  // namespace heed::server
