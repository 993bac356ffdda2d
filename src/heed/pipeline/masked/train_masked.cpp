// SPDX-License-Identifier: Apache-2.0
// The task of masked words, handed to the trainer.
#include "heed/pipeline/masked/train_masked.h"

#include <array>
#include <cmath>
#include <filesystem>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/pipeline/batch_course.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/masked/masked_lines.h"
#include "heed/pipeline/run_start.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

TokeniserPointer learn_tokeniser(const MaskedOptions& options) {
  text::PairReader reader = training_lines(options.train, options.held());
  std::vector<std::string> lines;
  for (text::LinePair& line :
       text::sample_pairs(reader, {.lines = static_cast<std::size_t>(options.vocabulary.sample),
                                  .seed = options.trainer.seed})) {
    lines.push_back(std::move(line.source));
  }
  return text::train_tokeniser(options.vocabulary.wish(options.threads), lines);
}

class Course {
 public:
  Course(const MaskedOptions& options, const text::Tokeniser& tokeniser,
         const models::MaskedModel& model)
      : options_(options),
        vocabulary_(tokeniser.size()),
        model_(model),
        batches_({training_lines(options.train, options.held()),
                  within(options.room(),
                         masked_line_encoder(tokeniser, {options.max_length, options.too_long},
                                             options.train),
                         options.train, kTrainingRemedy),
                  options.stream(options.trainer.seed)}) {}

  training::BatchLoss next(Random& noise) {
    const MaskedBatch masked = next_masked();
    const double count = static_cast<double>(masked.wanted.size());
    return {.loss = cross_entropy(model_(masked.text, masked.places, {.noise = &noise}),
                                  masked.wanted, {.reduction = Reduction::sum}),
            .weight = count,
            .words = static_cast<double>(batches_.batch().source.tokens()),
            .ends_epoch = batches_.ended_epoch()};
  }

  BatchCourse& batches() { return batches_; }

 private:
  MaskedBatch next_masked() {
    for (bool ended = false;; ended = ended || batches_.ended_epoch()) {
      if (ended && batches_.ended_epoch()) {
        throw DataError(
            "{}: no token can be masked, for every word is unknown; raise --vocabulary-size, lower "
            "--least-count, or give a vocabulary that fits the text",
            options_.train);
      }
      const text::PairBatch& batch = batches_.next();
      MaskedBatch masked = masked_batch(batch, batches_.epoch(), vocabulary_, options_.masking());
      if (masked.wanted.size() > 0) return masked;
    }
  }

  const MaskedOptions& options_;
  text::Token vocabulary_;
  const models::MaskedModel& model_;
  BatchCourse batches_;
};

class Validation {
 public:
  Validation(const MaskedOptions& options, const text::Tokeniser& tokeniser,
             const models::MaskedModel& model)
      : options_(options), model_(model) {
    const HeldOutLines held = held_out_lines(options.valid, options.train, options.held());
    const text::LineEncoder encode =
        within(options.room(),
               masked_line_encoder(tokeniser, {options.max_length, text::TooLong::crop}, held.name),
               held.name, kTrainingRemedy);
    for (const text::LinePair& line : held.lines) {
      for (text::TokenPair& pair : encode(line).pairs) pairs_.push_back(std::move(pair));
    }
  }

  std::vector<training::MetricKind> metrics() const {
    if (pairs_.empty()) return {};
    return {{"loss", training::Better::lower},
            {"perplexity", training::Better::lower},
            {"accuracy", training::Better::higher}};
  }

  training::Metrics measure() const {
    MaskedScore sum;
    for (const MaskedScore& line : masked_scores(model_, pairs_, options_)) {
      sum.loss += line.loss;
      sum.right += line.right;
      sum.masks += line.masks;
    }
    if (sum.masks == 0) {
      throw DataError(
          "validation: no token can be masked, for every word is unknown to the vocabulary; give "
          "text like that of training");
    }
    const double loss = sum.loss / sum.masks;
    return {{"loss", loss}, {"perplexity", std::exp(loss)}, {"accuracy", sum.right / sum.masks}};
  }

 private:
  const MaskedOptions& options_;
  const models::MaskedModel& model_;
  std::vector<text::TokenPair> pairs_;
};

}  // namespace

TrainingReport train_masked(const MaskedOptions& options, const Print& print) {
  options.check();
  check_start(options, kMaskedTask);
  if (options.threads > 0) set_threads(options.threads);
  const std::string data = data_fingerprint(std::array{options.train, options.valid});
  const TokeniserPointer tokeniser =
      find_tokeniser(options, options.vocabulary, [&] { return learn_tokeniser(options); });
  Random random(options.trainer.seed);
  models::MaskedModel model(options.wish(tokeniser->size()), random);
  const nn::Parameters parameters = nn::parameters(model);
  set_starting_weights({&options, options.vocabulary.embeddings}, *tokeniser, parameters, print);
  Course course(options, *tokeniser, model);
  const Validation validation(options, *tokeniser, model);
  training::Task task = course.batches().task([&](Random& noise) { return course.next(noise); });
  task.parameters = parameters;
  task.metrics = validation.metrics();
  if (!task.metrics.empty()) task.validate = [&] { return validation.measure(); };
  const auto card = [&](const training::Metrics& measured) -> ModelCard {
    return {.title = std::filesystem::path(options.out).filename().string(),
            .kind = "A model of masked words",
            .facts = {{"encoder", options.kind_text()},
                      {"parameters", fmt::format("{}", nn::parameter_count(parameters))},
                      {"vocabulary", fmt::format("{} pieces", tokeniser->size())}},
            .measured = measured,
            .use = fmt::format("heed fill --model {} \"The [MASK] is red.\"", options.out)};
  };
  const training::Outcome outcome = run_training(
      options, task, {.task = kMaskedTask, .data = data, .card = card, .print = print});
  return {outcome, nn::parameter_count(parameters), course.batches().report()};
}

}  // namespace heed::pipeline
