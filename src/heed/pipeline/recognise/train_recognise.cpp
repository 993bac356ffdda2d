// SPDX-License-Identifier: Apache-2.0
// From fresh strips to a model that reads them.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "heed/base/error.h"
#include "heed/pipeline/recognise/strip_batches.h"
#include "heed/pipeline/recognise/strip_quality.h"
#include "heed/pipeline/recognise/strip_search.h"
#include "heed/pipeline/starting_weights.h"

namespace heed::pipeline {
namespace {

using corpora::Strip;

constexpr std::size_t kValidatedTogether = 50;

class RecogniseSetup final : public TrainingSetup {
 public:
  RecogniseSetup(const RecogniseOptions& options, const Print& print)
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
    const LearntStrips& learnt = batches_.learnt();
    CardFacts facts = {
        {"reads", strip_task_names()[static_cast<std::size_t>(learnt.task)]},
        {"labels of a strip", fmt::format("{} to {}", learnt.fewest, learnt.most)},
        {"writes by",
         models::label_writing_names()[static_cast<std::size_t>(options_.model.writing)]}};
    if (options_.model.writing == models::LabelWriting::attention) {
      facts.push_back({"attention", options_.model.attention});
    }
    facts.push_back({"parameters", fmt::format("{}", nn::parameter_count(parameters_))});
    return facts;
  }

  std::string data() const override { return batches_.report(); }
  std::uint64_t epoch_batches() const override {
    return static_cast<std::uint64_t>(options_.epoch_batches);
  }
  std::uint64_t data_bytes() const override { return batches_.bytes(); }
  void save_files(const ModelFolder& folder) const override {
    batches_.learnt().write(folder.file(kLearntStripsFile));
  }

 private:
  training::BatchLoss next(Random& noise) {
    const std::vector<Strip> strips = batches_.next();
    double frames = 0;
    for (const Strip& strip : strips) frames += static_cast<double>(strip.frames());
    return {.loss = model_.loss(strip_tensors(strips), strip_labels(strips), {.noise = &noise}),
            .weight = static_cast<double>(strips.size()),
            .words = frames,
            .ends_epoch = batches_.ends_epoch()};
  }

  // Per strip, and per label.
  training::Metrics validate() const {
    const std::span<const Strip> all = held_out_;
    double loss = 0;
    for (std::size_t begin = 0; begin < all.size(); begin += kValidatedTogether) {
      const auto part = all.subspan(begin, std::min(kValidatedTogether, all.size() - begin));
      loss += static_cast<double>(model_.loss(strip_tensors(part), strip_labels(part), {}).item());
    }
    StripQuality quality;
    const std::vector<FoundLabels> found = find_labels(model_, all);
    for (std::size_t i = 0; i < all.size(); ++i) quality.add(all[i].labels, found[i].labels);
    return {{"loss", loss / static_cast<double>(all.size())}, {"error", quality.label_error()}};
  }

  const RecogniseOptions& options_;
  StripBatches batches_;
  Random random_;
  models::StripRecogniser model_;
  nn::Parameters parameters_;
  std::vector<Strip> held_out_;
};

}  // namespace

std::unique_ptr<TrainingSetup> RecogniseOptions::setup(const Print& print) const {
  return std::make_unique<RecogniseSetup>(*this, print);
}

}  // namespace heed::pipeline
