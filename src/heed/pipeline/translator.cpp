// SPDX-License-Identifier: Apache-2.0
// From lines to tokens, batches, searches and back to lines in their order.
#include "heed/pipeline/translator.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/decoding/translation_stepper.h"
#include "heed/pipeline/translation_options.h"

namespace heed::pipeline {
namespace {

struct Loaded {
  Vocabularies vocabularies;
  std::shared_ptr<models::EncoderDecoder> model;
};

Loaded load(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("translate");
  TranslationOptions options;
  options.list.read_toml(folder.config());
  Loaded loaded{load_vocabularies(folder, options), {}};
  Random random(0);
  loaded.model = make_model(options.model, loaded.vocabularies.sizes(), random);
  nn::Parameters parameters = nn::parameters(*loaded.model);
  folder.load_weights(parameters);
  return loaded;
}

bool equal(const text::Tokeniser& a, const text::Tokeniser& b) {
  if (a.size() != b.size()) return false;
  for (text::Token token = 0; token < a.size(); ++token) {
    if (a.piece(token) != b.piece(token)) return false;
  }
  return true;
}

std::vector<std::string> pieces_of(const text::Tokeniser& tokeniser, const text::Tokens& tokens,
                                   bool ended) {
  std::vector<std::string> pieces;
  for (const text::Token token : tokens) pieces.push_back(tokeniser.piece(token));
  if (ended) pieces.push_back(tokeniser.piece(text::kEnd));
  return pieces;
}

// What the encoders left for one sentence of a batch.
std::vector<decoding::AttentionPath> encoder_paths(const attention::Trace& trace, std::int64_t row,
                                                   std::int64_t length) {
  std::vector<decoding::AttentionPath> paths;
  for (const attention::Trace::Entry& entry : trace.entries()) {
    const Tensor mine = entry.weights.select(0, row);  // [H,S,S]
    paths.push_back({entry.site, mine.slice(1, 0, length).slice(2, 0, length).clone()});
  }
  return paths;
}

text::Tokens tokens_of(const text::Tokeniser& tokeniser, std::string_view line) {
  return tokeniser.encode(line).tokens;
}

}  // namespace

// Lines that are translated together.
struct Translator::Batch {
  const text::LineBatch& lines;
  std::span<const text::Encoding> sources;  // of all lines
};

Translator::Translator(const std::filesystem::path& folder)
    : Translator(std::span<const std::filesystem::path>(&folder, 1)) {}

Translator::Translator(std::span<const std::filesystem::path> folders) {
  if (folders.empty()) throw UsageError("translator: no model folder; give one or more");
  for (const std::filesystem::path& folder : folders) {
    Loaded loaded = load(folder);
    if (models_.empty()) {
      vocabularies_ = loaded.vocabularies;
    } else if (!equal(*vocabularies_.source, *loaded.vocabularies.source) ||
               !equal(*vocabularies_.target, *loaded.vocabularies.target)) {
      throw UsageError(
          "{} and {} have different vocabularies; models that vote take the same (train the second "
          "with --source-vocabulary and --target-vocabulary of the first)",
          folders.front().string(), folder.string());
    }
    models_.push_back(std::move(loaded.model));
  }
}

Translator::Translator(Vocabularies vocabularies, std::shared_ptr<models::EncoderDecoder> model)
    : vocabularies_(std::move(vocabularies)), models_{std::move(model)} {}

std::int64_t Translator::parameter_count() const {
  std::int64_t count = 0;
  for (const auto& model : models_) count += nn::parameter_count(nn::parameters(*model));
  return count;
}

Translation Translator::translate(std::string_view line, const TranslateOptions& options) const {
  const std::string one(line);
  return std::move(translate(std::span(&one, 1), options).front().front());
}

std::vector<Translations> Translator::translate(
    std::span<const std::string> lines, const TranslateOptions& options,
    const std::function<void(std::size_t done)>& done) const {
  const NoGradient values_only;
  if (!options.prefixes.empty() && options.prefixes.size() != lines.size()) {
    throw UsageError("translate: {} prefixes for {} lines; give one for each, or none",
                     options.prefixes.size(), lines.size());
  }
  std::vector<text::Encoding> sources;
  std::vector<text::Tokens> tokens;
  for (const std::string& line : lines) {
    sources.push_back(vocabularies_.source->encode(line));
    tokens.push_back(sources.back().tokens);
  }
  std::vector<Translations> all(lines.size());
  std::size_t ready = 0;
  for (const text::LineBatch& batch : text::line_batches(tokens, options.batch)) {
    translate_batch({batch, sources}, options, all);
    ready += batch.places.size();
    if (done) done(ready);
  }
  return all;
}

void Translator::translate_batch(const Batch& batch, const TranslateOptions& options,
                                 std::vector<Translations>& all) const {
  decoding::TranslationStepper::Models models;
  for (const auto& model : models_) models.push_back(model.get());
  attention::Trace encoders;
  decoding::TranslationStepper stepper(models, models::sequences(batch.lines.rows),
                                       options.attention ? &encoders : nullptr);
  const bool sampled = options.search == SearchKind::sample;
  decoding::Constraints constraints =
      sampled ? options.sampling.constraints : options.beam.constraints;
  for (const std::size_t place : batch.lines.places) {
    if (options.prefixes.empty()) break;
    constraints.prefixes.push_back(tokens_of(*vocabularies_.target, options.prefixes[place]));
  }
  std::vector<std::vector<decoding::Hypothesis>> found;
  if (sampled) {
    decoding::SamplingOptions sampling = options.sampling;
    sampling.constraints = constraints;
    sampling.attentions = options.attention;
    // A line's own generator: the same sample whatever lines stand beside it.
    std::vector<Random> randoms;
    for (const std::size_t place : batch.lines.places) {
      randoms.emplace_back(options.seed, options.first_line + place);
    }
    found = decoding::sample(stepper, sampling, std::span(randoms));
  } else if (options.beam.width == 1 && options.beam.n_best == 1) {
    for (decoding::Hypothesis& hypothesis :
         decoding::greedy(stepper, {.constraints = constraints, .attentions = options.attention})) {
      hypothesis.score = options.beam.length.score(
          hypothesis.log_probability,
          static_cast<std::int64_t>(hypothesis.token_log_probabilities.size()));
      found.push_back({std::move(hypothesis)});
    }
  } else {
    decoding::BeamOptions beam = options.beam;
    beam.constraints = constraints;
    beam.attentions = options.attention;
    found = decoding::beam_search(stepper, beam);
  }
  for (std::size_t row = 0; row < found.size(); ++row) {
    const std::size_t place = batch.lines.places[row];
    for (const decoding::Hypothesis& hypothesis : found[row]) {
      all[place].push_back(finished(
          hypothesis, batch.sources[place], options,
          encoder_paths(encoders, static_cast<std::int64_t>(row), batch.lines.rows.lengths[row])));
    }
  }
}

Translation Translator::finished(const decoding::Hypothesis& hypothesis,
                                 const text::Encoding& source, const TranslateOptions& options,
                                 std::vector<decoding::AttentionPath> encoder) const {
  const text::Decoding decoded = vocabularies_.target->decode(hypothesis.tokens);
  Translation translation{
      .text = decoded.text,
      .score = hypothesis.score,
      .log_probability = hypothesis.log_probability,
      .finished = hypothesis.finished,
      .pieces = pieces_of(*vocabularies_.target, hypothesis.tokens, hypothesis.finished),
      .token_log_probabilities = hypothesis.token_log_probabilities};
  if (!options.attention) return translation;
  translation.source_pieces = pieces_of(*vocabularies_.source, source.tokens, true);
  translation.attentions = std::move(encoder);
  const bool looks = std::ranges::any_of(
      hypothesis.attentions, [](const auto& path) { return path.site.kind == decoding::kCross; });
  if (looks) {
    translation.weights = decoding::alignment_weights(hypothesis.attentions, options.heads);
    const decoding::AlignedWords words{source.words, decoded.words};
    translation.word_weights = decoding::word_weights(translation.weights, words);
    translation.alignment = decoding::word_links(decoding::token_links(translation.weights), words);
  }
  translation.attentions.insert(translation.attentions.end(), hypothesis.attentions.begin(),
                                hypothesis.attentions.end());
  return translation;
}

PairScore Translator::score(std::string_view source, std::string_view target) const {
  const std::string one(source);
  const std::string other(target);
  return std::move(score(std::span(&one, 1), std::span(&other, 1)).front());
}

std::vector<PairScore> Translator::score(std::span<const std::string> sources,
                                         std::span<const std::string> targets,
                                         const text::BatchSize& batch) const {
  if (sources.size() != targets.size()) {
    throw UsageError("score: {} sources and {} targets; give one target for each source",
                     sources.size(), targets.size());
  }
  const NoGradient values_only;
  std::vector<text::TokenPair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    text::TokenPair pair{tokens_of(*vocabularies_.source, sources[i]),
                         tokens_of(*vocabularies_.target, targets[i]), i};
    pair.source.push_back(text::kEnd);
    pair.target.push_back(text::kEnd);
    pairs.push_back(std::move(pair));
  }
  std::vector<PairScore> scores(pairs.size());
  for (const text::PairBatch& rows : text::pair_batches(pairs, batch)) {
    const models::Sequences source = models::sequences(rows.source);
    const models::Sequences target = models::sequences(rows.target);
    const Ids wanted = models::packed_targets(target);
    // The mean of the models' probabilities of each token.
    std::vector<double> likely(static_cast<std::size_t>(wanted.size()), 0);
    for (const auto& model : models_) {
      const Variable logits = model->decode(model->encode(source, {}), target, {});
      const Tensor lost = cross_entropy(logits, wanted, {.reduction = Reduction::none}).value();
      for (std::size_t i = 0; i < likely.size(); ++i) {
        likely[i] += std::exp(-static_cast<double>(lost.data()[i]));
      }
    }
    std::size_t next = 0;
    for (std::size_t row = 0; row < rows.lines.size(); ++row) {
      PairScore& score = scores[rows.lines[row]];
      const text::Tokens& tokens = pairs[rows.lines[row]].target;
      for (const text::Token token : tokens) {
        const double log_probability =
            std::log(likely[next++] / static_cast<double>(models_.size()));
        score.log_probability += log_probability;
        score.pieces.push_back(vocabularies_.target->piece(token));
        score.token_log_probabilities.push_back(static_cast<float>(log_probability));
      }
    }
  }
  return scores;
}

}  // namespace heed::pipeline
