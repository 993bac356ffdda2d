// SPDX-License-Identifier: Apache-2.0
// The task of translation, handed to the trainer.
#include "heed/pipeline/translate/train_translation.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/models/copying.h"
#include "heed/pipeline/batch_course.h"
#include "heed/pipeline/run_start.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/pipeline/translate/validation.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {
namespace {

constexpr const char* kTask = "translate";

text::PairFiles train_files(const TranslationOptions& options) {
  if (!options.train.empty()) return {.source = options.train};
  return {.source = options.train_source,
          .target = options.train_target,
          .documents = options.model.documents};
}

text::HoldOut held_out(const TranslationOptions& options) {
  return {.fraction = options.valid_fraction, .seed = options.trainer.seed};
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

std::string attention_of(const ModelOptions& model) {
  const auto or_own = [](const std::string& text, const char* own) {
    return text.empty() ? std::string(own) : text;
  };
  if (model.model == ModelKind::seq2seq) return or_own(model.attention, "additive");
  const std::string all = or_own(model.attention, "scaled_dot");
  return fmt::format(
      "encoder `{}`, decoder `{}`, cross `{}`", or_own(model.encoder_attention, all.c_str()),
      or_own(model.decoder_attention, all.c_str()), or_own(model.cross_attention, all.c_str()));
}

std::string model_of(const ModelOptions& model) {
  const Reading reading = model.reading();
  std::string text =
      model.model == ModelKind::seq2seq ? "recurrent encoder and decoder (seq2seq)" : "Transformer";
  if (reading.copies) text += ", copies words of the source";
  if (reading.context > 0) {
    text += fmt::format(", reads {} sentence{} before", reading.context,
                        reading.context == 1 ? "" : "s");
  }
  return text;
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

Vocabularies find_vocabularies(const TranslationOptions& options, const ModelFolder& folder) {
  if (options.goes_on()) return load_vocabularies(folder, options);
  Vocabularies found;
  if (!options.init_from.empty() && options.source_vocabulary.empty() &&
      options.target_vocabulary.empty()) {
    found = vocabularies_of(options.init_from);
  } else {
    text::PairReader pairs = training_pairs(options);
    found = make_vocabularies(options, pairs);
  }
  // Files that do not fit together are found before the first update, not after an epoch.
  text::PairReader pairs = training_pairs(options);
  text::LinePair first;
  if (!pairs.next(first)) throw pairs.nothing_left();
  text::count_pairs(pairs);
  if (options.model.documents) check_documents(training_pairs(options));
  save_vocabularies(found, folder);
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

// The corpus as batches, and what the model makes of them.
class Course {
 public:
  Course(const TranslationOptions& options, const Vocabularies& vocabularies,
         const models::EncoderDecoder& model)
      : options_(options), model_(model), batches_(corpus_of(options, vocabularies)) {}

  training::BatchLoss next(Random& noise) {
    const text::PairBatch& batch = batches_.next();
    const models::Call call{.noise = &noise};
    const models::Sequences target = models::sequences(batch.target);
    const models::Decoded decoded =
        model_.decode(model_.encode(models::source_of(batch), call), target, call);
    const Ids wanted = models::packed_targets(target);
    const double tokens = static_cast<double>(wanted.size());
    Variable loss = cross_entropy(
        decoded.logits, wanted,
        {.smoothing = static_cast<Real>(options_.label_smoothing), .reduction = Reduction::sum});
    if (options_.coverage_loss > 0) {
      loss = loss + models::coverage_loss(decoded.copying, target) *
                        static_cast<Real>(options_.coverage_loss);
    }
    return {.loss = loss, .weight = tokens, .words = tokens, .ends_epoch = batches_.ended_epoch()};
  }

  BatchCourse& batches() { return batches_; }

 private:
  const TranslationOptions& options_;
  const models::EncoderDecoder& model_;
  BatchCourse batches_;
};

}  // namespace

ModelCard translation_card(const TranslationOptions& options, const Vocabularies& vocabularies,
                           const nn::Parameters& parameters, const training::Metrics& measured) {
  return {.title = std::filesystem::path(options.out).filename().string(),
          .kind = "A translator",
          .facts = {{"model", model_of(options.model)},
                    {"attention", attention_of(options.model)},
                    {"parameters", fmt::format("{}", nn::parameter_count(parameters))},
                    {"vocabulary",
                     fmt::format("{} source, {} target pieces", vocabularies.source->size(),
                                 vocabularies.target->size())}},
          .measured = measured,
          .use = fmt::format("heed translate --model {} < SOURCE", options.out)};
}

TrainingReport train_translation(const TranslationOptions& options, const Print& print) {
  options.check();
  check_start(options, kTask);
  if (options.threads > 0) set_threads(options.threads);
  const ModelFolder folder{options.out};
  make_folder(folder.path);
  const std::string data =
      data_fingerprint(std::array{options.train, options.train_source, options.train_target,
                                  options.valid, options.valid_source, options.valid_target});
  std::vector<text::LinePair> held = validation_pairs(options);
  const Vocabularies vocabularies = find_vocabularies(options, folder);

  Random random(options.trainer.seed);
  std::shared_ptr<models::EncoderDecoder> model =
      make_model(options.model, vocabularies.sizes(), random);
  const nn::Parameters parameters = nn::parameters(*model);
  set_starting_weights(options, vocabularies, parameters, print);
  Course course(options, vocabularies, *model);
  Validation validation(options, std::move(held), vocabularies, model);

  training::Task task = course.batches().task([&](Random& noise) { return course.next(noise); });
  task.parameters = parameters;
  task.metrics = validation.metrics();
  if (validation.size() > 0) task.validate = [&] { return validation.measure(); };
  task.samples = [&] { return validation.samples(); };
  const auto card = [&](const training::Metrics& measured) {
    return translation_card(options, vocabularies, parameters, measured);
  };
  const training::Outcome outcome =
      run_training(options, task, {.task = kTask, .data = data, .card = card, .print = print});
  return {outcome, nn::parameter_count(parameters), course.batches().report()};
}

}  // namespace heed::pipeline
