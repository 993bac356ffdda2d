// SPDX-License-Identifier: Apache-2.0
// The task of continuing a text, handed to the trainer.
#include "heed/pipeline/language/train_language.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "heed/autograd/ops.h"
#include "heed/base/threads.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/run_start.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

constexpr const char* kTask = "language";

TokeniserPointer learn_vocabulary(const LanguageOptions& options) {
  text::TokeniserOptions wish = options.vocabulary.wish(options.threads);
  wish.spaces = text::Spaces::kept;  // a text is to be continued as it is written
  const std::filesystem::path file = options.train;
  const std::vector<std::string> lines = text::sample_lines(
      std::span(&file, 1),
      {.lines = static_cast<std::size_t>(options.vocabulary.sample), .seed = options.trainer.seed});
  return text::train_tokeniser(wish, lines);
}

Ids ids_of(const text::TrackWindow& window, const text::Tokens& tokens) {
  return Ids::of({window.tracks, window.length}, std::span<const std::int32_t>(tokens));
}

// The loss of a window, summed over its tokens; the state becomes that behind it.
Variable window_loss(const models::LanguageModel& model, const text::TrackWindow& window,
                     models::DecoderState& state, const models::Call& call) {
  const bool carries = model.longest() == 0 && window.goes_on;
  models::Reading reading =
      model.read(carries ? state : model.start(window.tracks), ids_of(window, window.read), call);
  state = reading.state.detached();
  return cross_entropy(model.logits(reading.hidden), ids_of(window, window.next),
                       {.reduction = Reduction::sum});
}

// The text as a model reads it: behind the end of a line.
text::Tokens opened(const text::Tokens& tokens) {
  text::Tokens all = {text::kEnd};
  all.insert(all.end(), tokens.begin(), tokens.end());
  return all;
}

// The training text in windows, and what the model makes of them.
class Course {
 public:
  Course(const LanguageOptions& options, const text::Tokens& tokens,
         const models::LanguageModel& model)
      : model_(model),
        stream_(tokens, {.tracks = options.tracks,
                         .length = options.window_length(),
                         .windows = options.windows,
                         .seed = options.trainer.seed}),
        tracks_(options.tracks),
        state_(model.start(tracks_)) {}

  training::BatchLoss next(Random& noise) {
    const text::TrackWindow window = stream_.next();
    const double tokens = static_cast<double>(window.next.size());
    return {.loss = window_loss(model_, window, state_, {.noise = &noise}),
            .weight = tokens,
            .words = tokens,
            .ends_epoch = stream_.ended_epoch()};
  }

  bool carries() const { return model_.longest() == 0; }
  std::string position() const { return written_place(std::array{stream_.position()}); }
  void seek(const std::string& place) { stream_.seek(place_numbers(place, 1).front()); }
  std::map<std::string, Tensor> carried() const { return state_.own.tensors(); }
  void carry(const std::map<std::string, Tensor>& tensors) {
    state_ = {0, model_.start(tracks_).own.restored(tensors)};
  }
  std::string place() const { return fmt::format("window {}", stream_.position()); }

 private:
  const models::LanguageModel& model_;
  text::TrackStream stream_;
  std::int64_t tracks_;
  models::DecoderState state_;
};

// How well the model foresees a text it does not learn from, read in the same windows.
class Judge {
 public:
  Judge(const LanguageOptions& options, const text::LongText& text,
        std::shared_ptr<models::LanguageModel> model, TokeniserPointer tokeniser)
      : options_(options),
        tokens_(opened(text.tokens)),
        characters_per_token_(static_cast<double>(text.characters) /
                              static_cast<double>(std::max<std::size_t>(text.tokens.size(), 1))),
        model_(model),
        generator_(std::move(tokeniser), std::move(model), options.line_ends) {}

  training::Metrics measure() const {
    const NoGradient values_only;
    // A short text has fewer tracks: each must have a token and one behind it.
    const std::int64_t most = static_cast<std::int64_t>(tokens_.size()) / 2;
    text::TrackStream stream(
        tokens_, {.tracks = std::min(options_.tracks, most), .length = options_.window_length()});
    models::DecoderState state;
    double lost = 0;
    double tokens = 0;
    for (std::uint64_t i = 0; i < stream.windows_per_epoch(); ++i) {
      const text::TrackWindow window = stream.next();
      lost += window_loss(*model_, window, state, {}).item();
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

std::string model_name(const LanguageModelOptions& model) {
  if (model.model == LanguageModelKind::gpt) return "decoder-only Transformer";
  const std::array<const char*, 4> cells = {"tanh", "relu", "LSTM", "GRU"};
  return fmt::format("recurrent network ({}, {} x {})", cells[static_cast<std::size_t>(model.cell)],
                     model.layers, model.hidden);
}

std::string attention_name(const LanguageModelOptions& model) {
  if (!model.attention.empty()) return fmt::format("`{}`", model.attention);
  return model.model == LanguageModelKind::gpt ? "`scaled_dot`" : "no";
}

}  // namespace

TrainingReport train_language(const LanguageOptions& options, const Print& print) {
  options.check();
  check_start(options, kTask);
  if (options.threads > 0) set_threads(options.threads);
  const std::string data = data_fingerprint(std::array{options.train, options.valid});
  const TokeniserPointer tokeniser =
      find_tokeniser(options, options.vocabulary, [&] { return learn_vocabulary(options); });
  text::LongText text = text::read_long_text(options.train, *tokeniser, options.line_ends);
  text::LongText held;
  if (!options.valid.empty()) {
    held = text::read_long_text(options.valid, *tokeniser, options.line_ends);
  } else if (options.valid_fraction > 0) {
    held = text.take_end(options.valid_fraction);
  }

  Random random(options.trainer.seed);
  std::shared_ptr<models::LanguageModel> model =
      make_language_model(options.model, tokeniser->size(), random);
  const nn::Parameters parameters = nn::parameters(*model);
  set_starting_weights({&options, options.vocabulary.embeddings}, *tokeniser, parameters, print);
  const text::Tokens tokens = opened(text.tokens);
  Course course(options, tokens, *model);
  const Judge judge(options, held, model, tokeniser);

  training::Task task{.parameters = parameters,
                      .next_batch_loss = [&](Random& noise) { return course.next(noise); },
                      .position = [&] { return course.position(); },
                      .seek = [&](const std::string& place) { course.seek(place); },
                      .describe_batch = [&] { return course.place(); }};
  if (course.carries()) {
    task.carried = [&] { return course.carried(); };
    task.carry = [&](const std::map<std::string, Tensor>& tensors) { course.carry(tensors); };
  }
  if (held.tokens.size() > 1) {
    task.metrics = {{"loss", training::Better::lower},
                    {"perplexity", training::Better::lower},
                    {"bits-per-character", training::Better::lower}};
    task.validate = [&] { return judge.measure(); };
    task.samples = [&] { return judge.samples(); };
  }
  const auto card = [&](const training::Metrics& measured) -> ModelCard {
    return {.title = std::filesystem::path(options.out).filename().string(),
            .kind = "A language model",
            .facts = {{"model", model_name(options.model)},
                      {"attention", attention_name(options.model)},
                      {"parameters", fmt::format("{}", nn::parameter_count(parameters))},
                      {"vocabulary", fmt::format("{} pieces ({})", tokeniser->size(),
                                                 text::name_of(tokeniser->kind()))}},
            .measured = measured,
            .use = fmt::format("heed generate --model {}", options.out)};
  };
  const training::Outcome outcome =
      run_training(options, task, {.task = kTask, .data = data, .card = card, .print = print});
  return {
      outcome, nn::parameter_count(parameters),
      fmt::format("{} lines, {} characters, {} tokens, {} unknown; held out: {} tokens", text.lines,
                  text.characters, text.tokens.size(), text.unknown, held.tokens.size())};
}

}  // namespace heed::pipeline
