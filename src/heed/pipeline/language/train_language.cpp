// SPDX-License-Identifier: Apache-2.0
// From a text file to a language model: vocabulary, model, training on windows of the text with
// carried states, validation.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>

#include "heed/autograd/ops.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

TokeniserPointer learn_vocabulary(const LanguageOptions& options, const Print& print) {
  text::TokeniserOptions wish = options.vocabulary.to_options(options.threads);
  wish.spaces = text::Spaces::kept;  // a text is to be continued as it is written
  const std::filesystem::path file = options.train;
  const std::vector<std::string> lines = text::sample_lines(
      std::span(&file, 1),
      {.lines = static_cast<std::size_t>(options.vocabulary.sample), .seed = options.trainer.seed});
  return train_vocabulary(wish, lines, print);
}

Ids ids_of(const text::TrackWindow& window, const text::Tokens& tokens) {
  return Ids::of({window.tracks, window.length}, std::span<const std::int32_t>(tokens));
}

// The logits of a window; the state becomes that after it.
Variable window_logits(const models::LanguageModel& model, const text::TrackWindow& window,
                       models::DecoderState& state, const models::Call& call) {
  const bool carries = model.longest() == 0 && window.goes_on;
  models::Reading reading =
      model.read(carries ? state : model.start(window.tracks), ids_of(window, window.read), call);
  state = reading.state.detached();
  return model.logits(reading.hidden);
}

// The loss of a window, summed over its tokens.
Variable window_loss(const text::TrackWindow& window, const Variable& logits) {
  return cross_entropy(logits, ids_of(window, window.next), {.reduction = Reduction::sum});
}

// Of each track [tracks].
Tensor track_losses(const text::TrackWindow& window, const Variable& logits) {
  const Variable losses =
      cross_entropy(logits, ids_of(window, window.next), {.reduction = Reduction::none});
  return sum(reshape(losses, {window.tracks, window.length}), 1).value();
}

// The text as a model reads it: after the end of a line.
text::Tokens opened(const text::Tokens& tokens) {
  text::Tokens all = {text::kEnd};
  all.insert(all.end(), tokens.begin(), tokens.end());
  return all;
}

// How well the model foresees a text it does not learn from, read in the same windows.
class LanguageValidation {
 public:
  LanguageValidation(const LanguageOptions& options, const text::LongText& text,
                     std::shared_ptr<models::LanguageModel> model, TokeniserPointer tokeniser)
      : options_(options),
        tokens_(opened(text.tokens)),
        characters_per_token_(static_cast<double>(text.characters) /
                              static_cast<double>(std::max<std::size_t>(text.tokens.size(), 1))),
        model_(model),
        generator_(std::move(tokeniser), std::move(model), options.line_ends, options.text_begin) {}

  training::Metrics measure() const {
    const NoGradient values_only;
    // A short text has fewer tracks: each must have a token and one after it.
    const std::int64_t most = static_cast<std::int64_t>(tokens_.size()) / 2;
    text::TrackStream stream(
        tokens_, {.tracks = std::min(options_.tracks, most), .length = options_.window_length()});
    models::DecoderState state;
    double lost = 0;
    double tokens = 0;
    for (std::uint64_t i = 0; i < stream.windows_per_epoch(); ++i) {
      const text::TrackWindow window = stream.next();
      lost += window_loss(window, window_logits(*model_, window, state, {})).item();
      tokens += static_cast<double>(window.next.size());
    }
    const double loss = lost / tokens;
    return {{"loss", loss},
            {"perplexity", std::exp(loss)},
            {"bits-per-character", loss / std::numbers::ln2 / characters_per_token_}};
  }

  std::string samples() const {
    std::string lines;
    for (std::int64_t i = 0; i < options_.samples; ++i) {
      const std::string prompt = options_.line_ends == text::LineEnds::space ? "the" : "";
      lines += generator_.generate(prompt, {.length = options_.sample_length,
                                            .seed = options_.trainer.seed,
                                            .number = static_cast<std::uint64_t>(i)}) +
               "\n";
    }
    return lines;
  }

 private:
  const LanguageOptions& options_;
  text::Tokens tokens_;
  double characters_per_token_;
  std::shared_ptr<models::LanguageModel> model_;
  LanguageGenerator generator_;
};

// Prompts: how lines of the text begin, or of one without ends of lines, parts of it.
std::vector<std::string> prompts_of(const text::Tokens& tokens, const text::Tokeniser& tokeniser,
                                    std::size_t count) {
  constexpr std::size_t kTries = 8;   // for each: some lines are too short or too long
  constexpr std::size_t kRead = 200;  // tokens of a line, or of a part
  std::vector<std::string> prompts;
  const std::size_t tries = count * kTries;
  for (std::size_t i = 0; i < tries; ++i) {
    auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(i * tokens.size() / tries);
    const auto most = std::min<std::ptrdiff_t>(tokens.end() - begin, kRead);
    // The rest of the line that it falls into is left out.
    if (const auto end = std::find(begin, begin + most, text::kEnd); i > 0 && end != begin + most) {
      begin = end + 1;
    }
    const auto rest = std::min<std::ptrdiff_t>(tokens.end() - begin, kRead);
    const text::Tokens line(begin, std::find(begin, begin + rest, text::kEnd));
    prompts.push_back(beginning_of(tokeniser.decode(line).text));
  }
  return chosen_examples(prompts, count);
}

std::string model_name(const LanguageModelOptions& model) {
  if (model.model == LanguageModelKind::gpt) return "decoder-only Transformer";
  if (model.model == LanguageModelKind::transformer_xl) {
    const auto compression = static_cast<std::size_t>(model.compression);
    return fmt::format(
        "Transformer over segments of {} tokens (memory {}{})", model.stack.longest, model.memory,
        compression == 0
            ? ""
            : fmt::format(", {} slots of {} by {}", model.slots, model.compression_rate,
                          models::compression_names()[compression]));
  }
  return fmt::format("recurrent network ({}, {} x {})",
                     nn::cell_names()[static_cast<std::size_t>(model.cell)], model.stack.layers,
                     model.hidden);
}

std::string attention_name(const LanguageModelOptions& model) {
  if (!model.attention.empty()) return fmt::format("`{}`", model.attention);
  return model.model == LanguageModelKind::recurrent ? "no" : "`scaled_dot`";
}

// The training text in windows, what the model makes of them, and how well it foresees the rest.
class LanguageSetup final : public TrainingSetup {
 public:
  LanguageSetup(const LanguageOptions& options, const Print& print)
      : options_(options),
        tokeniser_(find_tokeniser(options, options.vocabulary,
                                  [&] { return learn_vocabulary(options, print); })),
        text_(text::read_long_text(options.train, *tokeniser_, options.line_ends)),
        held_(held_out_text()),
        random_(options.trainer.seed),
        model_(make_language_model(options.model, tokeniser_->size(), random_)),
        parameters_(started(print)),
        tokens_(opened(text_.tokens)),
        stream_(tokens_, {.tracks = options.tracks,
                          .length = options.window_length(),
                          .windows = options.windows,
                          .seed = options.trainer.seed}),
        state_(model_->start(options.tracks)),
        validation_(options, held_, model_, tokeniser_),
        drawn_(options.draw) {}

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss = [this](Random& noise) { return next(noise); },
        .position = [this] { return written_place(std::array{stream_.position()}); },
        .seek = [this](const std::string& place) { stream_.seek(place_numbers(place, 1).front()); },
        .describe_batch = [this] { return fmt::format("window {}", stream_.position()); }};
    if (model_->longest() == 0) {
      task.carried = [this] { return state_.own.tensors(); };
      task.carry = [this](const std::map<std::string, Tensor>& tensors) {
        state_ = {0, state_.own.restored(tensors)};
      };
    }
    if (held_.tokens.size() > 1) {
      task.metrics = {{"loss", training::Better::lower},
                      {"perplexity", training::Better::lower},
                      {"bits-per-character", training::Better::lower}};
      task.validate = [this] { return validation_.measure(); };
      task.samples = [this] { return validation_.samples(); };
    }
    drawn_.join(task);
    return task;
  }

  CardFacts facts() override {
    return {{"model", model_name(options_.model)},
            {"attention", attention_name(options_.model)},
            {"parameters", fmt::format("{}", nn::parameter_count(parameters_))},
            {"vocabulary",
             fmt::format("{} pieces ({})", tokeniser_->size(), text::name_of(tokeniser_->kind()))}};
  }

  std::string data() const override {
    return fmt::format("{} lines, {} characters, {} tokens, {} unknown; held out: {} tokens",
                       text_.lines, text_.characters, text_.tokens.size(), text_.unknown,
                       held_.tokens.size());
  }
  std::vector<const text::Tokeniser*> tokenisers() const override { return {tokeniser_.get()}; }
  std::uint64_t epoch_batches() const override { return stream_.windows_per_epoch(); }
  std::uint64_t data_bytes() const override {
    return (text_.tokens.size() + tokens_.size()) * sizeof(text::Token);
  }

  std::vector<std::string> examples() const override {
    return prompts_of(held_.tokens, *tokeniser_, static_cast<std::size_t>(options_.examples));
  }
  void save_files(const ModelFolder& folder) const override {
    tokeniser_->save(folder.file(kTokeniserFile));
  }

 private:
  text::LongText held_out_text() {
    if (!options_.valid.empty()) {
      return text::read_long_text(options_.valid, *tokeniser_, options_.line_ends);
    }
    return options_.valid_fraction > 0 ? text_.take_end(options_.valid_fraction) : text::LongText();
  }

  nn::Parameters started(const Print& print) {
    nn::Parameters parameters = nn::parameters(*model_);
    set_starting_weights({&options_, options_.vocabulary.embeddings}, *tokeniser_, parameters,
                         print);
    return parameters;
  }

  training::BatchLoss next(Random& noise) {
    const text::TrackWindow window = stream_.next();
    const double tokens = static_cast<double>(window.next.size());
    const models::DecoderState before = state_;  // where every draw begins
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws&) {
      models::DecoderState state = before;
      const Variable logits = window_logits(*model_, window, state, call);
      if (call.noise != nullptr) state_ = std::move(state);
      return training::SequenceLosses{
          .total = window_loss(window, logits),
          .each = [&window, logits] { return track_losses(window, logits); },
          .units = Tensor::full({window.tracks}, static_cast<Real>(window.length)),
          .input = {ids_of(window, window.next),
                    Ids::full({window.tracks}, static_cast<std::int32_t>(window.length))}};
    });
    return {.loss = loss, .weight = tokens, .words = tokens, .ends_epoch = stream_.ended_epoch()};
  }

  const LanguageOptions& options_;
  TokeniserPointer tokeniser_;
  text::LongText text_;
  text::LongText held_;
  Random random_;
  std::shared_ptr<models::LanguageModel> model_;
  nn::Parameters parameters_;
  text::Tokens tokens_;
  text::TrackStream stream_;
  models::DecoderState state_;
  LanguageValidation validation_;
  training::DrawnLoss drawn_;
};

}  // namespace

std::unique_ptr<TrainingSetup> LanguageOptions::setup(const Print& print) const {
  return std::make_unique<LanguageSetup>(*this, print);
}

}  // namespace heed::pipeline
