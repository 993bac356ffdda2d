// SPDX-License-Identifier: Apache-2.0
// Loss over all pairs, then translations of the first of them.
#include "heed/pipeline/translate/validation.h"

#include <algorithm>
#include <cmath>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/warning.h"
#include "heed/metrics/accuracy.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/pipeline/run.h"
#include "heed/pipeline/translate/translation_choices.h"

namespace heed::pipeline {

Validation::Validation(const TranslationOptions& options, std::vector<text::LinePair> pairs,
                       const Vocabularies& vocabularies,
                       std::shared_ptr<models::EncoderDecoder> model)
    : options_(options),
      pairs_(std::move(pairs)),
      translator_(vocabularies, model, options.model.reading()),
      model_(std::move(model)) {
  if (pairs_.empty()) return;
  const std::string& name = !options_.valid.empty()          ? options_.valid
                            : !options_.valid_source.empty() ? options_.valid_source
                            : !options_.train.empty()        ? options_.train
                                                             : options_.train_source;
  const std::int64_t most = options_.limit().max_length;
  const text::LineEncoder encode =
      within(options_.room(),
             text::PairEncoder{.source = vocabularies.source.get(),
                               .target = vocabularies.target.get(),
                               .limit = {most, text::TooLong::skip},
                               .copier = make_copier(vocabularies, options_.model.reading())},
             name, kValidationRemedy);
  text::CountedLines skipped;
  std::erase_if(pairs_, [&](const text::LinePair& pair) {
    text::EncodedPair encoded = encode(pair);
    for (text::TokenPair& tokens : encoded.pairs) tokens_.push_back(std::move(tokens));
    if (encoded.outcome != text::Outcome::skipped) return false;
    skipped.add(pair.line);
    return true;
  });
  if (skipped.count > 0) {
    warn(fmt::format("{}: validation leaves out pairs of more than {} tokens: {}", name, most,
                     skipped.to_string()));
  }
  if (tokens_.empty() && skipped.count > 0) {
    throw DataError("{}: no pair is left to validate with; {} are longer than {} tokens", name,
                    skipped.count, most);
  }
  metrics_ = {{"loss", training::Better::lower}, {"perplexity", training::Better::lower}};
  if (mixes()) metrics_.push_back({"support", training::Better::lower});
  for (const std::string& name : options_.valid_metrics) {
    metrics_.push_back({name, training::Better::higher});
  }
}

namespace {

// How many keys the decoder of a call gave a weight, word by word: what a sum over the support
// costs.
struct SupportCount {
  double keys = 0;
  double words = 0;

  void add(const attention::Trace& trace, const Ids& lengths) {
    for (const attention::Trace::Entry& entry : trace.entries()) {
      if (entry.site.role != attention::Role::cross) continue;
      for (std::int64_t b = 0; b < lengths.size(); ++b) {
        for (std::int64_t t = 0; t < lengths.at({b}); ++t) {
          const std::vector<Real> row =
              entry.weights.select(0, b).select(0, 0).select(0, t).values();
          keys += static_cast<double>(std::ranges::count_if(
              row, [](Real weight) { return attention::share_of(weight) > 0; }));
          ++words;
        }
      }
    }
  }
};

}  // namespace

void Validation::predict(training::Metrics& measured) const {
  double lost = 0;
  double tokens = 0;
  SupportCount support;
  for (const text::PairBatch& batch : text::pair_batches(tokens_, {.tokens = options_.batch_tokens},
                                                         options_.model.reading().context)) {
    const models::Sequences target = models::sequences(batch.target);
    attention::Trace trace;
    const models::Call call{.watch = mixes() ? &trace : nullptr};
    const Variable logits =
        model_->decode(model_->encode(models::source_of(batch), {}), target, call).logits;
    support.add(trace, target.lengths);
    const Ids wanted = models::packed_targets(target);
    lost += cross_entropy(logits, wanted, {.reduction = Reduction::sum}).item();
    tokens += static_cast<double>(wanted.size());
  }
  measured["loss"] = lost / std::max(tokens, 1.0);
  measured["perplexity"] = std::exp(measured["loss"]);
  if (mixes()) measured["support"] = support.keys / std::max(support.words, 1.0);
}

Validation::Sides Validation::first_pairs() const {
  const std::size_t count =
      options_.valid_sentences == 0
          ? pairs_.size()
          : std::min(pairs_.size(), static_cast<std::size_t>(options_.valid_sentences));
  Sides sides;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0 && pairs_[i].document != pairs_[i - 1].document) sides.sources.emplace_back();
    sides.sources.push_back(pairs_[i].source);
    sides.references.push_back(pairs_[i].target);
  }
  return sides;
}

CardFacts Validation::choose(const ModelFolder& folder, const Print& print) const {
  if (pairs_.empty()) return {};
  const Sides sides = first_pairs();
  Progress progress({.what = "length penalty", .total = sides.sources.size()});
  const LengthChoice choice = choose_length(
      Translator(folder.path), sides.sources, sides.references,
      {.batch = {.tokens = 4096}, .split = Split::never, .longest = options_.limit().max_length},
      [&](std::size_t done) { progress.update(done); });
  progress.clear();
  keep_length_alpha(folder.path, choice.alpha);
  const std::string words =
      fmt::format("{}, chosen on {} validation pairs", choice.to_string(), sides.references.size());
  say(print, "length penalty: " + words);
  return {{"length penalty", words}};
}

training::Metrics Validation::measure() {
  const NoGradient values_only;
  training::Metrics measured;
  predict(measured);
  const auto [sources, references] = first_pairs();
  translated_.clear();
  const std::vector<Translations> found =
      translator_.translate(sources, {.beam = {.width = options_.valid_beam},
                                      .batch = {.tokens = 4096},
                                      .split = Split::never,
                                      .longest = options_.limit().max_length});
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!sources[i].empty()) translated_.push_back(found[i].front().text);
  }
  for (const std::string& name : options_.valid_metrics) {
    if (name == "bleu") {
      measured[name] = metrics::corpus_bleu(translated_, {{references}}).score;
    } else if (name == "chrf") {
      measured[name] = metrics::corpus_chrf(translated_, {{references}});
    } else {
      measured[name] = metrics::exact_match(translated_, references).share();
    }
  }
  return measured;
}

std::string Validation::samples() const {
  std::string text;
  const std::size_t count =
      std::min(translated_.size(), static_cast<std::size_t>(options_.samples));
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("  {}\n  -> {}\n", pairs_[i].source, translated_[i]);
    if (translated_[i] != pairs_[i].target) text += fmt::format("  == {}\n", pairs_[i].target);
  }
  return text;
}

}  // namespace heed::pipeline
