// SPDX-License-Identifier: Apache-2.0
// From pairs of texts to a model of sentence embeddings: vocabulary, training, validation.
#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/pipeline/batch_sequence.h"
#include "heed/pipeline/embed/embed_options.h"
#include "heed/pipeline/embed/text_embedder.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

TokeniserPointer learn_embed_tokeniser(const EmbedOptions& options, const Print& print) {
  text::PairReader reader = training_lines(embed_pairs(options.train), options.held());
  std::vector<std::string> lines;
  for (text::LinePair& line :
       text::sample_pairs(reader, {.lines = static_cast<std::size_t>(options.vocabulary.sample),
                                  .seed = options.trainer.seed})) {
    lines.push_back(std::move(line.source));
    lines.push_back(std::move(line.target));
  }
  return train_vocabulary(options.vocabulary.to_options(options.threads), lines, print);
}

// Both sides as the model reads a text.
text::LineEncoder embed_line_encoder(const EmbedOptions& options, const text::Tokeniser& tokeniser,
                                     const text::LengthLimit& limit, const std::string& name) {
  const std::size_t frame = options.begin_token ? 2 : 1;
  const auto most = static_cast<std::size_t>(limit.max_length);
  return [&tokeniser, limit, name, frame, most,
          shape = options.shape()](const text::LinePair& line) -> text::EncodedPair {
    text::TokenPair pair{.source = text::encode_text(tokeniser, line.source, shape).tokens,
                         .target = text::encode_text(tokeniser, line.target, shape).tokens,
                         .line = line.line};
    text::EncodedPair result;
    for (text::Tokens* tokens : {&pair.source, &pair.target}) {
      if (tokens->size() == frame) return {.outcome = text::Outcome::empty};
      if (most == 0 || tokens->size() <= most + frame) continue;
      if (limit.too_long == text::TooLong::skip) return {.outcome = text::Outcome::skipped};
      if (limit.too_long == text::TooLong::fail) {
        throw DataError(
            "{}:{}: a text of {} tokens, and at most {} are allowed; raise --max-length, or choose "
            "--too-long crop or skip",
            name, line.line, tokens->size() - frame, most);
      }
      result.outcome = text::Outcome::cropped;
      tokens->resize(most + frame - 1);
      tokens->push_back(text::kEnd);
    }
    result.pairs.push_back(std::move(pair));
    return result;
  };
}

// How many first texts of held-out pairs find their second.
class EmbedValidation {
 public:
  EmbedValidation(const EmbedOptions& options, const text::Tokeniser& tokeniser,
                  const models::Embedder& model)
      : options_(options), model_(model) {
    const HeldOutLines held =
        held_out_lines(options.valid.empty() ? text::PairFiles{} : embed_pairs(options.valid),
                       embed_pairs(options.train), options.held());
    const text::LineEncoder encode =
        within(options.room(),
               embed_line_encoder(options, tokeniser,
                                  {options.limit().max_length, text::TooLong::crop}, held.name),
               held.name, kTrainingRemedy);
    std::vector<std::string> texts;
    for (const text::LinePair& line : held.lines) {
      if (std::ssize(pairs_) == options.valid_count) break;
      for (text::TokenPair& pair : encode(line).pairs) {
        pair.line = pairs_.size();
        pairs_.push_back(std::move(pair));
      }
      texts.push_back(line.source);
    }
    examples_ = chosen_examples(texts, static_cast<std::size_t>(options.examples));
  }

  const std::vector<std::string>& examples() const { return examples_; }

  std::vector<training::MetricKind> metrics() const {
    if (pairs_.empty()) return {};
    return {{"found", training::Better::higher}, {"rank", training::Better::higher}};
  }

  // The share of first texts whose nearest is their own second, and the mean of one by its rank.
  training::Metrics measure() const {
    const NoGradient values_only;
    const auto count = std::ssize(pairs_);
    Tensor first({count, model_.width()}), second({count, model_.width()});
    for (const text::PairBatch& batch :
         text::pair_batches(pairs_, {.tokens = options_.batch_tokens})) {
      put(model_(models::sequences(batch.source)).value(), batch.lines, first);
      put(model_(models::sequences(batch.target)).value(), batch.lines, second);
    }
    const PairSearch search = search_pairs(first, second);
    double found = 0, by_rank = 0;
    for (std::size_t i = 0; i < search.found.size(); ++i) {
      found += search.found[i];
      by_rank += search.by_rank[i];
    }
    const auto all = static_cast<double>(count);
    return {{"found", found / all}, {"rank", by_rank / all}};
  }

 private:
  static void put(const Tensor& vectors, const std::vector<std::uint64_t>& places, Tensor& all) {
    const Tensor rows = vectors.packed();
    const std::int64_t width = rows.size(1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::copy_n(rows.data() + static_cast<std::int64_t>(i) * width, width,
                  all.mutable_data() + static_cast<std::int64_t>(places[i]) * width);
    }
  }

  const EmbedOptions& options_;
  const models::Embedder& model_;
  std::vector<text::TokenPair> pairs_;
  std::vector<std::string> examples_;
};

// Pairs as batches, each text among all others of its batch.
class EmbedSetup final : public TrainingSetup {
 public:
  EmbedSetup(const EmbedOptions& options, const Print& print)
      : options_(options),
        tokeniser_(find_tokeniser(options, options.vocabulary,
                                  [&] { return learn_embed_tokeniser(options, print); })),
        random_(options.trainer.seed),
        model_(options.model(tokeniser_->size()), random_),
        parameters_(started(print)),
        batches_({training_lines(embed_pairs(options.train), options.held()),
                  within(options.room(),
                         embed_line_encoder(options, *tokeniser_, options.limit(), options.train),
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
    return {
        {"encoder", options_.kind_text()},
        {"vector", fmt::format("{} numbers, pooled by {}{}", model_.width(),
                               models::summary_names()[static_cast<std::size_t>(options_.pooling)],
                               options_.normalised ? ", of length 1" : "")},
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
    const text::PairBatch& batch = batches_.next();
    const models::Sequences first = models::sequences(batch.source);
    const models::Sequences second = models::sequences(batch.target);
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws& draws) {
      draws.count("text", first.lengths);
      const Variable one = model_(first, call);
      draws.count("text", second.lengths);
      const Variable losses = models::contrast(one, model_(second, call), first, second,
                                               static_cast<Real>(options_.temperature));
      return training::SequenceLosses{
          .total = sum(losses), .each = [losses] { return losses.value(); }, .input = first};
    });
    return {.loss = loss,
            .weight = static_cast<double>(batch.lines.size()),
            .words = static_cast<double>(batch.source.tokens() + batch.target.tokens()),
            .ends_epoch = batches_.ended_epoch()};
  }

  const EmbedOptions& options_;
  TokeniserPointer tokeniser_;
  Random random_;
  models::Embedder model_;
  nn::Parameters parameters_;
  BatchSequence batches_;
  EmbedValidation validation_;
  training::DrawnLoss drawn_;
};

}  // namespace

std::unique_ptr<TrainingSetup> EmbedOptions::setup(const Print& print) const {
  return std::make_unique<EmbedSetup>(*this, print);
}

}  // namespace heed::pipeline
