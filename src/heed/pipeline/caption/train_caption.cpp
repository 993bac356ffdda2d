// SPDX-License-Identifier: Apache-2.0
// From pictures and captions to a model that writes them.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/images/image_file.h"
#include "heed/models/sequences.h"
#include "heed/pipeline/caption/caption_writer.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/batch.h"
#include "heed/training/drawn_loss.h"

namespace heed::pipeline {
namespace {

using corpora::PictureSet;

constexpr std::size_t kCaptionsValidatedTogether = 64;

// DataError for pictures of which some have no caption.
void check_captions(const PictureSet& set, const std::string& part) {
  for (const corpora::Pictured& said : set.of) {
    if (!said.caption.empty()) continue;
    throw DataError("{}: a picture without a caption; a captioner needs one of each", part);
  }
}

TokeniserPointer caption_vocabulary(const CaptionOptions& options, const PictureSet& set) {
  if (options.goes_on()) return text::load_tokeniser(options.folder().file(kTokeniserFile));
  if (!options.init_from.empty()) {
    return text::load_tokeniser(ModelFolder{options.init_from}.file(kTokeniserFile));
  }
  std::vector<std::string> lines;
  for (const corpora::Pictured& said : set.of) lines.push_back(said.caption);
  return text::train_tokeniser({.kind = text::TokeniserKind::spaced,
                                .size = std::numeric_limits<text::Token>::max(),
                                .lower_case = true},
                               lines);
}

class CaptionSetup final : public TrainingSetup {
 public:
  CaptionSetup(const CaptionOptions& options, const Print& print)
      : options_(options),
        pictures_(training_pictures(options.pictures, options.trainer.seed)),
        held_out_(validation_pictures(options.pictures, options.trainer.seed)),
        form_(learnt_from(pictures_, options.pictures, options.init_from)),
        tokeniser_(caption_vocabulary(options, pictures_)),
        random_(options.trainer.seed),
        model_(options.model_for(form_, tokeniser_->size()), random_),
        parameters_(nn::parameters(model_)),
        order_(pictures_.of.size(), options.trainer.seed),
        drawn_(options.draw) {
    check_captions(pictures_, "training");
    check_captions(held_out_, "validation");
    start_from(options, parameters_, print);
  }

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss = [this](Random& noise) { return next(noise); },
        .position = [this] { return written_place(std::array{order_.place()}); },
        .seek = [this](const std::string& place) { order_.seek(place_numbers(place, 1)[0]); },
        .describe_batch = [this] { return fmt::format("up to picture {}", order_.place()); }};
    if (held_out_.size() > 0) {
      task.metrics = {{"exact", training::Better::higher}, {"loss", training::Better::lower}};
      task.validate = [this] { return validate(); };
    }
    drawn_.join(task);
    return task;
  }

  CardFacts facts() override {
    return {{"reads",
             fmt::format("pictures of {} x {} pixels, as {} x {} cells", form_.width, form_.height,
                         model_.encoder().grid().columns, model_.encoder().grid().rows)},
            {"attention", options_.attention},
            {"parameters", fmt::format("{}", nn::parameter_count(parameters_))},
            {"vocabulary", fmt::format("{} words", tokeniser_->size())}};
  }
  std::string data() const override {
    return fmt::format("{} pictures with captions", pictures_.size());
  }
  std::uint64_t epoch_batches() const override { return order_.epoch_batches(options_.batch); }
  std::uint64_t data_bytes() const override {
    return pictures_.images.pixels.size() + held_out_.images.pixels.size();
  }
  void save_files(const ModelFolder& folder) const override {
    tokeniser_->save(folder.file(kTokeniserFile));
    form_.write(folder.file(kLearntPicturesFile));
  }

 private:
  models::Sequences captions(const PictureSet& set, std::span<const std::size_t> which) const {
    std::vector<text::Tokens> rows;
    for (const std::size_t one : which) {
      rows.push_back(tokeniser_->encode(set.of[one].caption).tokens);
      rows.back().push_back(text::kEnd);
    }
    return models::sequences(text::pad_rows(rows));
  }

  training::BatchLoss next(Random& noise) {
    const std::vector<std::size_t> which = order_.next(options_.batch);
    const models::ImageTensors images = picture_tensors(pictures_.images, which);
    const models::Sequences target = captions(pictures_, which);
    const Ids wanted = models::packed_targets(target);
    const auto words = static_cast<double>(wanted.size());
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws& draws) {
      draws.count("target", target.lengths);
      const models::Decoded decoded =
          model_.decoder().decode(model_.encode(images, call), target, call);
      Variable total = cross_entropy(decoded.logits, wanted, {.reduction = Reduction::sum});
      if (options_.spread > 0 && decoded.weights.defined()) {
        total = total +
                models::doubly_stochastic(decoded.weights, target.lengths, options_.spread_share) *
                    static_cast<Real>(options_.spread);
      }
      const auto each = [&, logits = decoded.logits] {
        const Variable losses = cross_entropy(logits, wanted, {.reduction = Reduction::none});
        return training::losses_by_step(losses.value(), target.lengths);
      };
      const Tensor one_each = Tensor::full({wanted.size()}, Real{1});
      return training::SequenceLosses{.total = total,
                                      .each = each,
                                      .units = training::losses_by_step(one_each, target.lengths),
                                      .steps = "target"};
    });
    return {.loss = loss, .weight = words, .words = words, .ends_epoch = order_.ended_epoch()};
  }

  // Captions right to the last word, and the loss of a word.
  training::Metrics validate() const {
    const NoGradient no_graph;
    double loss = 0, words = 0, exact = 0;
    const auto size = static_cast<std::size_t>(held_out_.size());
    for (std::size_t begin = 0; begin < size; begin += kCaptionsValidatedTogether) {
      std::vector<std::size_t> which;
      for (std::size_t i = begin; i < std::min(size, begin + kCaptionsValidatedTogether); ++i) {
        which.push_back(i);
      }
      const models::ImageTensors images = picture_tensors(held_out_.images, which);
      const models::Sequences target = captions(held_out_, which);
      const Ids wanted = models::packed_targets(target);
      const models::Decoded decoded =
          model_.decoder().decode(model_.encode(images, {}), target, {});
      loss += static_cast<double>(
          cross_entropy(decoded.logits, wanted, {.reduction = Reduction::sum}).item());
      words += static_cast<double>(wanted.size());
      const auto written = write_captions(model_, images, *tokeniser_);
      for (std::size_t i = 0; i < which.size(); ++i) {
        exact += written[i].caption == lower(held_out_.of[which[i]].caption) ? 1 : 0;
      }
    }
    return {{"exact", exact / static_cast<double>(size)}, {"loss", loss / words}};
  }

  const CaptionOptions& options_;
  PictureSet pictures_;
  PictureSet held_out_;
  LearntPictures form_;
  TokeniserPointer tokeniser_;
  Random random_;
  models::Captioner model_;
  nn::Parameters parameters_;
  PictureOrder order_;
  training::DrawnLoss drawn_;
};

}  // namespace

std::unique_ptr<TrainingSetup> CaptionOptions::setup(const Print& print) const {
  return std::make_unique<CaptionSetup>(*this, print);
}

}  // namespace heed::pipeline
