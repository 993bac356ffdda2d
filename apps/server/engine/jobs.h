// SPDX-License-Identifier: Apache-2.0
// The jobs that the API gives to the engine, one kind for each route: done on the engine's thread,
// alone or as a batch, and read as JSON by whoever waited.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "heed/pipeline/language/language_writing.h"
#include "server/api/answer_trace.h"
#include "server/api/requests.h"
#include "server/engine/job.h"
#include "server/engine/served_model.h"

namespace heed::server {

// The answer of a job that has ended well.
class ModelJob : public Job {
 public:
  ModelJob(JobSetting setting, ModelPointer model) : Job(std::move(setting)), model_(model) {}
  virtual nlohmann::ordered_json answer() const = 0;
  const ServedModel& model() const { return *model_; }

 protected:
  ModelPointer model_;
};

class TranslateJob final : public ModelJob {
 public:
  TranslateJob(JobSetting setting, ModelPointer model, TranslateRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  nlohmann::ordered_json answer() const override;

 private:
  TranslateRequest request_;
  std::vector<pipeline::Translations> found_{};  // of each text, best first
};

class ClassifyJob final : public ModelJob {
 public:
  ClassifyJob(JobSetting setting, ModelPointer model, ClassifyRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  nlohmann::ordered_json answer() const override;

 private:
  ClassifyRequest request_;
  std::vector<pipeline::Classification> found_{};
};

class ScoreJob final : public ModelJob {
 public:
  ScoreJob(JobSetting setting, ModelPointer model, ScoreRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  nlohmann::ordered_json answer() const override;

 private:
  struct Found {
    double log_probability = 0;
    std::vector<std::string> pieces{};
    std::vector<float> token_log_probabilities{};
    insight::TracedExample trace{};
  };
  void score_pairs(std::span<const Pointer> batch);
  void score_texts();

  ScoreRequest request_;
  std::vector<Found> found_{};
};

class FillJob final : public ModelJob {
 public:
  FillJob(JobSetting setting, ModelPointer model, FillRequest request)
      : ModelJob(std::move(setting), std::move(model)), request_(std::move(request)) {}
  void run(std::span<const Pointer> batch) override;
  nlohmann::ordered_json answer() const override;

 private:
  FillRequest request_;
  std::vector<std::vector<pipeline::Guess>> found_{};
  insight::TracedExample trace_{};
};

// Written a few tokens at a time, in turns with other work; ends at its length, at its deadline, or
// when nobody waits any more.
class GenerateJob final : public ModelJob {
 public:
  // `seat` is given back with the job.
  GenerateJob(JobSetting setting, ModelPointer model, GenerateRequest request,
              std::shared_ptr<void> seat)
      : ModelJob(std::move(setting), std::move(model)),
        request_(std::move(request)),
        seat_(std::move(seat)) {}
  void run(std::span<const Pointer> batch) override;
  bool is_long() const override { return true; }
  bool go_on() override;
  std::int64_t written() const override;
  nlohmann::ordered_json answer() const override;

  // What has come since the last call, waiting for it until then; nothing when nothing has.
  std::string take_pieces(Clock::time_point until);

 private:
  GenerateRequest request_;
  std::shared_ptr<void> seat_;
  std::unique_ptr<pipeline::LanguageGenerator::Writing> writing_{};  // the engine's own
  // Guarded by mutex_:
  std::string pieces_{};
  std::string text_{};
  std::string reason_ = "length";
  std::int64_t written_ = 0;
  insight::TracedExample trace_{};
};

}  // namespace heed::server
