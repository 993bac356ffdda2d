// SPDX-License-Identifier: Apache-2.0
// From plain text to a model of masked words: vocabulary, masks, training with validation.
#include <cmath>
#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/batch_sequence.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/masked/masked_lines.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

TokeniserPointer learn_masked_tokeniser(const MaskedOptions& options, const Print& print) {
  text::PairReader reader = training_lines(plain_lines(options.train), options.held());
  std::vector<std::string> lines;
  for (text::LinePair& line :
       text::sample_pairs(reader, {.lines = static_cast<std::size_t>(options.vocabulary.sample),
                                  .seed = options.trainer.seed})) {
    lines.push_back(std::move(line.source));
  }
  return train_vocabulary(options.vocabulary.to_options(options.threads), lines, print);
}

// How many masks each text has [B].
Ids masks_of(const MaskedBatch& masked) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(masked.text.ids.size(0)), 0);
  const auto width = static_cast<std::int32_t>(masked.text.ids.size(1));
  for (const std::int32_t place : masked.places.span()) {
    ++counts[static_cast<std::size_t>(place / width)];
  }
  return Ids::of({static_cast<std::int64_t>(counts.size())}, counts);
}

// How well words of held-out lines are guessed.
class MaskedValidation {
 public:
  MaskedValidation(const MaskedOptions& options, const text::Tokeniser& tokeniser,
                   const models::MaskedModel& model)
      : options_(options), model_(model) {
    const HeldOutLines held =
        held_out_lines(plain_lines(options.valid), plain_lines(options.train), options.held());
    const text::LineEncoder encode =
        within(options.room(),
               masked_line_encoder(tokeniser, {options.limit().max_length, text::TooLong::crop},
                                   held.name, options.shape()),
               held.name, kTrainingRemedy);
    std::vector<std::string> gaps;
    for (const text::LinePair& line : held.lines) {
      for (text::TokenPair& pair : encode(line).pairs) pairs_.push_back(std::move(pair));
      gaps.push_back(with_gap(line.source, kMaskMark));
    }
    examples_ = chosen_examples(gaps, static_cast<std::size_t>(options.examples));
  }

  const std::vector<std::string>& examples() const { return examples_; }

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
  std::vector<std::string> examples_;
};

// The corpus as batches with masks, and what the model makes of them.
class MaskedSetup final : public TrainingSetup {
 public:
  MaskedSetup(const MaskedOptions& options, const Print& print)
      : options_(options),
        tokeniser_(find_tokeniser(options, options.vocabulary,
                                  [&] { return learn_masked_tokeniser(options, print); })),
        random_(options.trainer.seed),
        model_(options.to_options(tokeniser_->size()), random_),
        parameters_(started(print)),
        batches_({training_lines(plain_lines(options.train), options.held()),
                  within(options.room(),
                         masked_line_encoder(*tokeniser_, options.limit(), options.train,
                                             options.shape()),
                         options.train, kTrainingRemedy),
                  options.stream(options.trainer.seed)}),
        validation_(options, *tokeniser_, model_),
        drawn_(options.draw) {}

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task = batches_.task([this](Random& noise) { return next(noise); });
    task.metrics = validation_.metrics();
    if (!task.metrics.empty()) task.validate = [this] { return validation_.measure(); };
    drawn_.join(task);
    return task;
  }

  CardFacts facts() override {
    return {{"encoder", options_.kind_text()},
            {"parameters", fmt::format("{}", nn::parameter_count(parameters_))},
            {"vocabulary", fmt::format("{} pieces", tokeniser_->size())}};
  }

  std::string data() const override { return batches_.report(); }
  std::vector<const text::Tokeniser*> tokenisers() const override { return {tokeniser_.get()}; }
  std::uint64_t epoch_batches() const override { return batches_.window_batches(); }
  std::vector<std::string> examples() const override { return validation_.examples(); }
  std::int64_t longest() const override { return batches_.longest(); }
  void save_files(const ModelFolder& folder) const override {
    tokeniser_->save(folder.file(kTokeniserFile));
  }

 private:
  nn::Parameters started(const Print& print) {
    nn::Parameters parameters = nn::parameters(model_);
    set_starting_weights({&options_, options_.vocabulary.embeddings}, *tokeniser_, parameters,
                         print);
    return parameters;
  }

  training::BatchLoss next(Random& noise) {
    const MaskedBatch masked = next_masked();
    const double count = static_cast<double>(masked.wanted.size());
    const Ids masks = masks_of(masked);
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws& draws) {
      draws.count("text", masked.text.lengths);
      const Variable logits = model_(masked.text, masked.places, call);
      const auto each = [&, logits] {
        const Variable losses =
            cross_entropy(logits, masked.wanted, {.reduction = Reduction::none});
        return training::sums_by_sequence(losses.value(), masks);
      };
      return training::SequenceLosses{
          .total = cross_entropy(logits, masked.wanted, {.reduction = Reduction::sum}),
          .each = each,
          .input = masked.text};
    });
    return {.loss = loss,
            .weight = count,
            .words = static_cast<double>(batches_.batch().source.tokens()),
            .ends_epoch = batches_.ended_epoch()};
  }

  MaskedBatch next_masked() {
    for (bool ended = false;; ended = ended || batches_.ended_epoch()) {
      if (ended && batches_.ended_epoch()) {
        throw DataError(
            "{}: no token can be masked, for every word is unknown; raise --vocabulary-size, lower "
            "--least-count, or give a vocabulary that fits the text",
            options_.train);
      }
      const text::PairBatch& batch = batches_.next();
      MaskedBatch masked = masked_batch(batch, batches_.epoch(), tokeniser_->size(),
                                        options_.masking(tokeniser_->mask()));
      if (masked.wanted.size() > 0) return masked;
    }
  }

  const MaskedOptions& options_;
  TokeniserPointer tokeniser_;
  Random random_;
  models::MaskedModel model_;
  nn::Parameters parameters_;
  BatchSequence batches_;
  MaskedValidation validation_;
  training::DrawnLoss drawn_;
};

}  // namespace

std::unique_ptr<TrainingSetup> MaskedOptions::setup(const Print& print) const {
  return std::make_unique<MaskedSetup>(*this, print);
}

}  // namespace heed::pipeline
