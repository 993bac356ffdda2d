// SPDX-License-Identifier: Apache-2.0
// From fresh canvases to a network that knows where to look.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "heed/base/error.h"
#include "heed/pipeline/glimpse/canvas_batches.h"
#include "heed/pipeline/glimpse/glimpse_loss.h"
#include "heed/pipeline/glimpse/glimpse_quality.h"
#include "heed/pipeline/starting_weights.h"

namespace heed::pipeline {
namespace {

using corpora::Canvas;

constexpr std::size_t kReported = 500;  // canvases that the policy is judged by
constexpr std::uint64_t kValidSeed = 7;

class GlimpseSetup final : public TrainingSetup {
 public:
  GlimpseSetup(const GlimpseTrainOptions& options, const Print& print)
      : options_(options),
        batches_(options),
        random_(options.trainer.seed),
        model_(options.model_for(batches_.learnt()), random_),
        parameters_(nn::parameters(model_)),
        held_out_(batches_.held_out()) {
    start_from(options, parameters_, print);
  }

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss = [this](Random& noise) { return next(noise); },
        .position = [this] { return written_place(std::array{batches_.number()}); },
        .seek = [this](const std::string& place) { batches_.seek(place_numbers(place, 1)[0]); },
        .describe_batch = [this] { return fmt::format("number {}", batches_.number()); }};
    if (held_out_.empty()) return task;
    task.metrics = {{"loss", training::Better::lower}, {"error", training::Better::lower}};
    task.validate = [this] { return validate(); };
    if (learns_places()) task.samples = [this] { return places(); };
    return task;
  }

  CardFacts facts() override {
    const models::GlimpseNetworkOptions& model = model_.options();
    CardFacts facts = {
        {"looks at", fmt::format("{} x {}", model.width, model.height)},
        {"glimpses",
         fmt::format("{} of {} x {}, {} scale{}", model.steps(), model.sensor.size,
                     model.sensor.size, model.sensor.scales, model.sensor.scales == 1 ? "" : "s")},
        {"policy", models::glimpse_policy_names()[static_cast<std::size_t>(model.policy)]},
        {"core", models::glimpse_core_names()[static_cast<std::size_t>(model.core)]},
        {"classes", fmt::format("{}", model.classes)},
        {"parameters", fmt::format("{}", nn::parameter_count(parameters_))}};
    return facts;
  }

  std::string data() const override { return batches_.report(); }
  std::uint64_t epoch_batches() const override { return batches_.epoch_batches(); }
  std::uint64_t data_bytes() const override { return batches_.bytes(); }
  void save_files(const ModelFolder& folder) const override {
    batches_.learnt().write(folder.file(kLearntCanvasesFile));
  }

 private:
  bool learns_places() const {
    return options_.model.policy == models::GlimpsePolicy::learnt &&
           model_.options().steps() > model_.options().first_learnt();
  }

  training::BatchLoss next(Random& noise) {
    const std::vector<Canvas> canvases = batches_.next();
    const models::GlimpseRun run = model_(
        canvas_tensor(canvases),
        {.random = &noise, .draw = true, .so_far = options_.reward == models::GlimpseReward::gain});
    return {.loss = glimpse_loss(model_.options(), run, canvas_labels(canvases),
                                 {options_.reinforce, options_.reward}),
            .weight = static_cast<double>(canvases.size()),
            .words = static_cast<double>(canvases.size()),
            .ends_epoch = batches_.ends_epoch()};
  }

  // By the policy's means, one episode.
  training::Metrics validate() const {
    const GlimpseQuality quality = glimpse_quality(model_, held_out_, {.seed = kValidSeed});
    return {{"loss", quality.mean_loss()}, {"error", quality.error()}};
  }

  std::string places() const {
    const PlaceReport report = place_report(
        model_, std::span(held_out_).first(std::min(kReported, held_out_.size())), kValidSeed);
    const std::string warning = report.warning();
    return "places: " + report.text() + (warning.empty() ? "" : "\nwarning: " + warning);
  }

  const GlimpseTrainOptions& options_;
  CanvasBatches batches_;
  Random random_;
  models::GlimpseNetwork model_;
  nn::Parameters parameters_;
  std::vector<Canvas> held_out_;
};

}  // namespace

std::unique_ptr<TrainingSetup> GlimpseTrainOptions::setup(const Print& print) const {
  return std::make_unique<GlimpseSetup>(*this, print);
}

}  // namespace heed::pipeline
