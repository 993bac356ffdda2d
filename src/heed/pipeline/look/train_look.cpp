// SPDX-License-Identifier: Apache-2.0
// From images with labels to a model that tells them apart.
#include <fmt/format.h>

#include <array>

#include "heed/autograd/ops.h"
#include "heed/pipeline/look/image_batches.h"
#include "heed/pipeline/starting_weights.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kValidatedTogether = 128;

class LookSetup final : public TrainingSetup {
 public:
  LookSetup(const LookOptions& options, const Print& print)
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
    return task;
  }

  CardFacts facts() override {
    const LearntImages& learnt = batches_.learnt();
    const auto pooling = models::cell_pooling_names()[static_cast<std::size_t>(options_.pooling)];
    const models::ImageGridShape grid = model_.encoder().grid();
    CardFacts facts = {
        {"reads", models::image_reading_names()[static_cast<std::size_t>(options_.reading)]},
        {"images", fmt::format("{} x {}, {}", learnt.form.width, learnt.form.height,
                               learnt.form.channels == 3 ? "colours" : "greys")},
        {"cells", fmt::format("{} x {}", grid.columns, grid.rows)},
        {"classes", fmt::format("{}", learnt.names.size())},
        {"pooling", pooling}};
    if (options_.pooling == models::CellPooling::attention) {
      facts.push_back({"attention", options_.attention});
    }
    facts.push_back({"parameters", fmt::format("{}", nn::parameter_count(parameters_))});
    return facts;
  }

  std::string data() const override { return batches_.report(); }
  std::uint64_t epoch_batches() const override { return batches_.epoch_batches(); }
  std::uint64_t data_bytes() const override { return batches_.bytes(); }
  void save_files(const ModelFolder& folder) const override {
    batches_.learnt().write(folder.file(kLearntImagesFile));
  }

 private:
  training::BatchLoss next(Random& noise) {
    const ImageBatch batch = batches_.next();
    const auto count = static_cast<double>(batch.labels.size());
    return {.loss = cross_entropy(model_(batch.images, {.noise = &noise}), batch.labels) *
                    static_cast<Real>(count),
            .weight = count,
            .words = count,
            .ends_epoch = batches_.ends_epoch()};
  }

  training::Metrics validate() const {
    const NoGradient none;
    double loss = 0;
    std::int64_t wrong = 0;
    const std::span<const corpora::Canvas> all = held_out_;
    for (std::size_t begin = 0; begin < all.size(); begin += kValidatedTogether) {
      const auto part = all.subspan(begin, std::min(kValidatedTogether, all.size() - begin));
      const ImageBatch batch = image_batch(part);
      const Variable logits = model_(batch.images, {});
      loss += static_cast<double>(cross_entropy(logits, batch.labels).item()) *
              static_cast<double>(part.size());
      for (std::int64_t b = 0; b < std::ssize(part); ++b) {
        const std::int32_t label = batch.labels.at({b});
        for (std::int64_t c = 0; c < logits.size(1); ++c) {
          if (logits.value().at({b, c}) > logits.value().at({b, label})) {
            ++wrong;
            break;
          }
        }
      }
    }
    const auto count = static_cast<double>(all.size());
    return {{"loss", loss / count}, {"error", static_cast<double>(wrong) / count}};
  }

  const LookOptions& options_;
  ImageBatches batches_;
  Random random_;
  models::ImageClassifier model_;
  nn::Parameters parameters_;
  std::vector<corpora::Canvas> held_out_;
};

}  // namespace

std::unique_ptr<TrainingSetup> LookOptions::setup(const Print& print) const {
  return std::make_unique<LookSetup>(*this, print);
}

}  // namespace heed::pipeline
