// SPDX-License-Identifier: Apache-2.0
// The task of masked words, handed to the trainer.
#include "heed/pipeline/train_masked.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/models/masked_model.h"
#include "heed/pipeline/batch_course.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/labelled.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

// Validation has the masks of an epoch that no training reaches: the same ones every time.
constexpr std::uint64_t kValidationEpoch = 0xFFFFF;

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

// Lines as tokens with their words beside them.
text::LineEncoder line_encoder(const text::Tokeniser& tokeniser, const text::LengthLimit& limit,
                               const std::string& name) {
  return [&tokeniser, limit, name](const text::LinePair& line) -> text::EncodedPair {
    text::Encoding encoded = text::encode_text(tokeniser, line.source, text::TextShape::line);
    if (encoded.tokens.size() == 1) return {.fate = text::Fate::empty};
    text::EncodedPair result;
    const auto most = static_cast<std::size_t>(limit.max_length);
    if (const std::size_t length = encoded.tokens.size() - 1; most > 0 && length > most) {
      if (limit.too_long == text::TooLong::skip) return {.fate = text::Fate::skipped};
      if (limit.too_long == text::TooLong::fail) {
        throw DataError(
            "{}:{}: a line of {} tokens, and at most {} are allowed; raise --max-length, or choose "
            "--too-long crop or skip",
            name, line.line, length, most);
      }
      result.fate = text::Fate::cropped;
      encoded.tokens.resize(most);
      encoded.words.resize(most);
      encoded.tokens.push_back(text::kEnd);
      encoded.words.push_back(-1);
    }
    result.pairs.push_back({.source = std::move(encoded.tokens),
                            .line = line.line,
                            .labels = {encoded.words.begin(), encoded.words.end()}});
    return result;
  };
}

class Course {
 public:
  Course(const MaskedOptions& options, const text::Tokeniser& tokeniser,
         const models::MaskedModel& model)
      : options_(options),
        vocabulary_(tokeniser.size()),
        model_(model),
        batches_({training_lines(options.train, options.held()),
                  line_encoder(tokeniser, {options.max_length, options.too_long}, options.train),
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
      : options_(options), vocabulary_(tokeniser.size()), model_(model) {
    const HeldOutLines held = held_out_lines(options.valid, options.train, options.held());
    const text::LineEncoder encode =
        line_encoder(tokeniser, {options.max_length, text::TooLong::crop}, held.name);
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
    const NoGradient values_only;
    double lost = 0;
    double right = 0;
    double count = 0;
    for (const text::PairBatch& batch :
         text::pair_batches(pairs_, {.tokens = options_.batch_tokens})) {
      const MaskedBatch masked =
          masked_batch(batch, kValidationEpoch, vocabulary_, options_.masking());
      if (masked.wanted.size() == 0) continue;
      const Variable logits = model_(masked.text, masked.places);
      lost += cross_entropy(logits, masked.wanted, {.reduction = Reduction::sum}).item();
      for (std::int64_t i = 0; i < masked.wanted.size(); ++i) {
        const std::vector<Real> scores = logits.value().select(0, i).values();
        const auto best = std::ranges::max_element(scores) - scores.begin();
        right += best == masked.wanted.at({i}) ? 1 : 0;
      }
      count += static_cast<double>(masked.wanted.size());
    }
    if (count == 0) {
      throw DataError(
          "validation: no token can be masked, for every word is unknown to the vocabulary; give "
          "text like that of training");
    }
    return {{"loss", lost / count},
            {"perplexity", std::exp(lost / count)},
            {"accuracy", right / count}};
  }

 private:
  const MaskedOptions& options_;
  text::Token vocabulary_;
  const models::MaskedModel& model_;
  std::vector<text::TokenPair> pairs_;
};

}  // namespace

MaskedBatch masked_batch(const text::PairBatch& batch, std::uint64_t epoch, text::Token vocabulary,
                         const text::MaskingOptions& options) {
  text::TokenRows shown = batch.source;
  std::vector<std::int32_t> places;
  text::Tokens wanted;
  for (std::size_t row = 0; row < batch.lines.size(); ++row) {
    const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(row) * shown.width;
    const auto first = shown.ids.begin() + begin;
    const text::Tokens tokens(first, first + shown.lengths[row]);
    Random random = text::masking_random(options, epoch, batch.lines[row]);
    const text::Masked masked =
        text::masked(tokens, batch.labels[row], vocabulary, options, random);
    std::ranges::copy(masked.tokens, first);
    for (const std::int32_t place : masked.places) {
      places.push_back(static_cast<std::int32_t>(begin) + place);
    }
    wanted.insert(wanted.end(), masked.wanted.begin(), masked.wanted.end());
  }
  const auto count = static_cast<std::int64_t>(places.size());
  return {models::sequences(shown), Ids::of({count}, places), Ids::of({count}, wanted)};
}

TrainingReport train_masked(const MaskedOptions& options, const Print& print) {
  options.check();
  if (options.threads > 0) set_threads(options.threads);
  const std::string data = data_fingerprint(std::array{options.train, options.valid});
  const TokeniserPointer tokeniser =
      find_tokeniser(options, options.vocabulary, [&] { return learn_tokeniser(options); });
  Random random(options.trainer.seed);
  models::MaskedModel model(options.wish(tokeniser->size()), random);
  const nn::Parameters parameters = nn::parameters(model);
  set_starting_weights({options.init_from, options.vocabulary.embeddings}, *tokeniser, parameters,
                       print);
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
