// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a translator's options; presets fill in what is not set.
#include "heed/pipeline/translate/translation_options.h"

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

void declare_data(TranslationOptions& mine, Options& options) {
  options.section("Data");
  options.add("train-source", mine.train_source, "training text, one sentence per line (or gz)")
      .kind("FILE");
  options.add("train-target", mine.train_target, "its translation, line by line").kind("FILE");
  options.add("train", mine.train, "instead of both: one file, source<TAB>target per line")
      .kind("FILE");
  options.add("valid-source", mine.valid_source, "validation text").kind("FILE");
  options.add("valid-target", mine.valid_target, "its translation").kind("FILE");
  options.add("valid", mine.valid, "instead of both: one file, source<TAB>target per line")
      .kind("FILE");
  options
      .add("valid-fraction", mine.valid_fraction,
           "without a validation set: the share of training pairs held out as one")
      .at_least(0)
      .below(1);
  options
      .add("fold", mine.fold,
           "which part of that size is held out, from 0; --folds goes through them")
      .at_least(0);
  mine.declare_stream(options);
}

void declare_vocabulary(TranslationOptions& mine, Options& options) {
  mine.vocabulary.declare(options);
  options.add("shared-vocabulary", mine.shared_vocabulary, "one vocabulary for both languages");
  options
      .add("source-vocabulary", mine.source_vocabulary,
           "a tokeniser's file instead of a new one, for the source or, shared, for both")
      .kind("FILE");
  options.add("target-vocabulary", mine.target_vocabulary, "the same for the target").kind("FILE");
  options
      .add("embeddings", mine.embeddings,
           "word vectors of the source to start from, as text: word, then its numbers")
      .kind("FILE");
  options.add("target-embeddings", mine.target_embeddings, "the same for the target").kind("FILE");
}

void declare_validation(TranslationOptions& mine, Options& options) {
  options.section("Loss and validation");
  options
      .add("label-smoothing", mine.label_smoothing,
           "share of the target spread over all tokens; with --copy it must be 0, which is then "
           "the default")
      .at_least(0)
      .below(1);
  options
      .add("coverage-loss", mine.coverage_loss,
           "copy: weight of the coverage loss, the cost of attending again to what was covered "
           "(See 2017)")
      .at_least(0);
  options.add("valid-beam", mine.valid_beam, "beam width of translations in validation; 1: greedy")
      .range(1, 1000);
  options
      .add("valid-sentences", mine.valid_sentences,
           "sentences of the validation set that are translated; 0: all")
      .at_least(0);
  options.add("valid-metrics", mine.valid_metrics,
              "measured on these, besides loss and perplexity: bleu, chrf, exact");
  options.add("samples", mine.samples, "validation sentences shown with their translations")
      .range(0, 1000);
}

}  // namespace

TranslationOptions::TranslationOptions() {
  declare_run(translation_presets());
  declare_data(*this, list);
  declare_vocabulary(*this, list);
  model.declare(list);
  trainer.declare(list);
  draw.declare(list);
  declare_validation(*this, list);
}

void TranslationOptions::apply_preset() {
  const bool smooths = list.is_set("label-smoothing");
  pipeline::apply_preset(*this, translation_presets());
  if (model.copy && !smooths) label_smoothing = 0;
}

void TranslationOptions::check_reading() const {
  if (model.copy && label_smoothing > 0) {
    throw UsageError(
        "--label-smoothing {}: with --copy a share would go to words that neither the vocabulary "
        "nor the source has; give 0",
        label_smoothing);
  }
  if (coverage_loss > 0 && !model.copy) {
    throw UsageError("--coverage-loss: it is of the attention that copies; give --copy as well");
  }
  if (model.documents && (!train.empty() || !valid.empty() || valid_fraction > 0)) {
    throw UsageError(
        "--documents: takes two files each, --train-source and --train-target, --valid-source and "
        "--valid-target, with an empty line in both between documents");
  }
}

PositionLimit TranslationOptions::room() const {
  return {.places = model.card().has_positions ? model.stack.most_tokens() : 0};
}

void TranslationOptions::check() const {
  check_run();
  const bool pair = !train_source.empty() || !train_target.empty();
  if (pair == !train.empty() || train_source.empty() != train_target.empty()) {
    throw UsageError(
        "training data: give --train-source and --train-target, or --train with a tab between "
        "source and target");
  }
  const bool valid_pair = !valid_source.empty() || !valid_target.empty();
  if (valid_source.empty() != valid_target.empty() || (valid_pair && !valid.empty())) {
    throw UsageError("validation data: give --valid-source and --valid-target, or --valid");
  }
  if (valid_fraction > 0 && (valid_pair || !valid.empty())) {
    throw UsageError("validation data: give files or --valid-fraction, not both");
  }
  if (shared_vocabulary && !target_vocabulary.empty()) {
    throw UsageError("--target-vocabulary: with --shared-vocabulary there is only the source's");
  }
  if (models::ties_inputs(model.tie) && !shared_vocabulary) {
    throw UsageError("--tie {}: one table of embeddings takes --shared-vocabulary",
                     models::tie_names()[static_cast<std::size_t>(model.tie)]);
  }
  model.check();
  room().check(max_length);
  check_reading();
  for (const std::string& metric : valid_metrics) {
    if (metric != "bleu" && metric != "chrf" && metric != "exact") {
      throw UsageError("--valid-metrics is \"{}\": it takes bleu, chrf and exact", metric);
    }
  }
}

}  // namespace heed::pipeline
