// SPDX-License-Identifier: Apache-2.0
// From two text files to a translator: vocabularies, model, training with validation.
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/models/copying.h"
#include "heed/pipeline/batch_sequence.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/translate/translation_card.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/translation_weights.h"
#include "heed/pipeline/translate/validation.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {
namespace {

text::PairFiles train_files(const TranslationOptions& options) {
  if (!options.train.empty()) return {.source = options.train};
  return {.source = options.train_source,
          .target = options.train_target,
          .documents = options.model.documents};
}

text::HoldOut held_out(const TranslationOptions& options) {
  return {.fraction = options.valid_fraction, .seed = options.trainer.seed, .fold = options.fold};
}

// Training pairs, those held out for validation left out.
text::PairReader training_pairs(const TranslationOptions& options) {
  const text::HoldOut hold = held_out(options);
  if (hold.fraction == 0) return text::PairReader(train_files(options));
  return text::PairReader(train_files(options),
                          [hold](std::uint64_t line) { return !hold.holds(line); });
}

std::vector<text::LinePair> validation_pairs(const TranslationOptions& options) {
  std::vector<text::LinePair> pairs;
  const auto read = [&](text::PairReader reader) {
    for (text::LinePair pair; reader.next(pair);) pairs.push_back(std::move(pair));
    if (!pairs.empty()) return;
    if (options.valid_fraction == 0) throw reader.nothing_left();
    throw DataError(
        "{}: no pair with text is held out to validate with; give validation data of its own, or a "
        "larger --valid-fraction",
        reader.name());
  };
  if (!options.valid.empty()) {
    read(text::PairReader({.source = options.valid}));
  } else if (!options.valid_source.empty()) {
    read(text::PairReader({.source = options.valid_source,
                           .target = options.valid_target,
                           .documents = options.model.documents}));
  } else if (const text::HoldOut hold = held_out(options); hold.fraction > 0) {
    read(text::PairReader(train_files(options),
                          [hold](std::uint64_t line) { return hold.holds(line); }));
  }
  return pairs;
}

// DataError when a whole corpus is one document: its empty lines were left out.
void check_documents(text::PairReader pairs) {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  for (text::LinePair pair; pairs.next(pair); ++count) {
    if (count == 0) first = pair.document;
    if (pair.document != first) return;
  }
  throw DataError(
      "{}: --documents, and no empty line on both sides in {} pairs; put one between documents, or "
      "leave the option out",
      pairs.name(), count);
}

Vocabularies find_vocabularies(const TranslationOptions& options, const ModelFolder& folder,
                               const Print& print) {
  if (options.goes_on()) return load_vocabularies(folder, options);
  Vocabularies found;
  if (!options.init_from.empty() && options.source_vocabulary.empty() &&
      options.target_vocabulary.empty()) {
    found = vocabularies_of(options.init_from);
  } else {
    text::PairReader pairs = training_pairs(options);
    found = make_vocabularies(options, pairs, print);
  }
  // Files that do not fit together are found before the first update, not after an epoch.
  text::PairReader pairs = training_pairs(options);
  text::LinePair first;
  if (!pairs.next(first)) throw pairs.nothing_left();
  text::count_pairs(pairs);
  if (options.model.documents) check_documents(training_pairs(options));
  return found;
}

text::BatchStreamOptions stream_options(const TranslationOptions& options) {
  text::BatchStreamOptions stream = options.stream(options.trainer.seed);
  stream.context = options.model.reading().context;
  stream.copies = options.model.copy;
  return stream;
}

text::BatchStream corpus_of(const TranslationOptions& options, const Vocabularies& vocabularies) {
  text::PairReader pairs = training_pairs(options);
  const std::string name = pairs.name();
  const text::BatchStreamOptions stream = stream_options(options);
  const text::PairEncoder encode{.source = vocabularies.source.get(),
                                 .target = vocabularies.target.get(),
                                 .limit = stream.limit,
                                 .name = name,
                                 .copier = make_copier(vocabularies, options.model.reading())};
  return {std::move(pairs), within(options.room(), encode, name, kTrainingRemedy), stream};
}

std::vector<std::string> sources_of(std::span<const text::LinePair> pairs) {
  std::vector<std::string> sources;
  for (const text::LinePair& pair : pairs) sources.push_back(pair.source);
  return sources;
}

// The corpus as batches, what the model makes of them, and how well it does on those held out.
class TranslationSetup final : public TrainingSetup {
 public:
  TranslationSetup(const TranslationOptions& options, const Print& print)
      : options_(options),
        held_(validation_pairs(options)),
        examples_(chosen_examples(sources_of(held_), static_cast<std::size_t>(options.examples))),
        vocabularies_(find_vocabularies(options, options.folder(), print)),
        random_(options.trainer.seed),
        model_(make_model(options.model, vocabularies_.sizes(), random_)),
        parameters_(started(print)),
        batches_(corpus_of(options, vocabularies_)),
        validation_(options, std::move(held_), vocabularies_, model_),
        drawn_(options.draw) {}

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task = batches_.task([this](Random& noise) { return next(noise); });
    task.metrics = validation_.metrics();
    if (validation_.size() > 0) task.validate = [this] { return validation_.measure(); };
    task.samples = [this] { return validation_.samples(); };
    drawn_.join(task);
    return task;
  }

  CardFacts facts() override { return translation_facts(options_, vocabularies_, parameters_); }
  std::string data() const override { return batches_.report(); }
  std::vector<const text::Tokeniser*> tokenisers() const override {
    if (vocabularies_.target == vocabularies_.source) return {vocabularies_.source.get()};
    return {vocabularies_.source.get(), vocabularies_.target.get()};
  }
  std::uint64_t epoch_batches() const override { return batches_.window_batches(); }
  std::vector<std::string> examples() const override { return examples_; }
  std::int64_t longest() const override { return batches_.longest(); }
  CardFacts choose(const ModelFolder& folder, const Print& print) override {
    return validation_.choose(folder, print);
  }
  void save_files(const ModelFolder& folder) const override {
    save_vocabularies(vocabularies_, folder);
  }

 private:
  nn::Parameters started(const Print& print) {
    nn::Parameters parameters = nn::parameters(*model_);
    set_translation_weights(options_, vocabularies_, parameters, print);
    return parameters;
  }

  training::BatchLoss next(Random& noise) {
    const text::PairBatch& batch = batches_.next();
    const models::Sequences target = models::sequences(batch.target);
    const Ids wanted = models::packed_targets(target);
    const double tokens = static_cast<double>(wanted.size());
    const auto smoothing = static_cast<Real>(options_.label_smoothing);
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws& draws) {
      draws.count("source", models::sequences(batch.source).lengths);
      draws.count("target", target.lengths);
      const models::Decoded decoded =
          model_->decode(model_->encode(models::source_of(batch), call), target, call);
      Variable total = cross_entropy(decoded.logits, wanted,
                                     {.smoothing = smoothing, .reduction = Reduction::sum});
      if (options_.coverage_loss > 0) {
        total = total + models::coverage_loss(decoded.copying, target) *
                            static_cast<Real>(options_.coverage_loss);
      }
      const auto each = [&, logits = decoded.logits] {
        const Variable losses =
            cross_entropy(logits, wanted, {.smoothing = smoothing, .reduction = Reduction::none});
        return training::losses_by_step(losses.value(), target.lengths);
      };
      const Tensor one_each = Tensor::full({wanted.size()}, Real{1});
      return training::SequenceLosses{.total = total,
                                      .each = each,
                                      .units = training::losses_by_step(one_each, target.lengths),
                                      .steps = "target",
                                      .input = models::sequences(batch.source)};
    });
    return {.loss = loss, .weight = tokens, .words = tokens, .ends_epoch = batches_.ended_epoch()};
  }

  const TranslationOptions& options_;
  std::vector<text::LinePair> held_;
  std::vector<std::string> examples_;
  Vocabularies vocabularies_;
  Random random_;
  std::shared_ptr<models::EncoderDecoder> model_;
  nn::Parameters parameters_;
  BatchSequence batches_;
  Validation validation_;
  training::DrawnLoss drawn_;
};

}  // namespace

std::unique_ptr<TrainingSetup> TranslationOptions::setup(const Print& print) const {
  return std::make_unique<TranslationSetup>(*this, print);
}

}  // namespace heed::pipeline
