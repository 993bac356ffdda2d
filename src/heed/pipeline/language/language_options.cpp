// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a language model's options, and the model they ask for.
#include "heed/pipeline/language/language_options.h"

#include "heed/base/error.h"

namespace heed::pipeline {

const std::vector<std::string>& text_begin_names() {
  static const std::vector<std::string> names = {"end", "begin", "nothing"};
  return names;
}

void LanguageModelOptions::declare(Options& options) {
  options.section("Model");
  options.add("model", model, {"recurrent", "gpt"},
              "a recurrent network, or the decoder-only Transformer");
  options.add("attention", attention,
              "the mechanism in its written form; recurrent: over its own past, empty: none; gpt: "
              "empty: scaled_dot");
  options.add("layers", stack.layers, "layers of the model").range(1, 1000);
  options.add("tied", tied, "embeddings and output are one table");
  options.add("cell", cell, nn::cell_names(), "recurrent: the kind of network");
  options.add("embedding", embedding, "recurrent: features of a token").range(1, 65536);
  options.add("hidden", hidden, "recurrent: units of a layer").range(1, 65536);
  options
      .add("span", span,
           "recurrent with attention: past states it may look at, carried from window to window")
      .range(1, 1 << 20);
  options.add("composition", composition, models::composition_names(),
              "recurrent with attention: how state and context are put together");
  stack.declare(options, "Transformer: its context, tokens that it sees at once");
}

std::unique_ptr<models::LanguageModel> make_language_model(const LanguageModelOptions& options,
                                                           std::int64_t vocabulary,
                                                           Random& random) {
  const models::Tie tie = options.tied ? models::Tie::target : models::Tie::none;
  if (options.model == LanguageModelKind::recurrent) {
    models::RecurrentLanguageModelOptions recurrent{
        .vocabulary = vocabulary,
        .cell = options.cell,
        .embedding = options.embedding,
        .hidden = options.hidden,
        .layers = options.stack.layers,
        .span = options.span,
        .composition = options.composition,
        .tie = tie,
        .dropout = static_cast<Real>(options.stack.dropout),
        .attention_dropout = static_cast<Real>(options.stack.attention_dropout),
        .locked_dropout = options.stack.locked_dropout};
    if (!options.attention.empty()) recurrent.attention = options.attention;
    return std::make_unique<models::RecurrentLanguageModel>(recurrent, random);
  }
  models::GptOptions gpt{.vocabulary = vocabulary,
                         .context = options.stack.longest,
                         .tie = tie,
                         .stack = options.stack};
  if (!options.attention.empty()) gpt.stack.attention = options.attention;
  return std::make_unique<models::Gpt>(gpt, random);
}

LanguageOptions::LanguageOptions() {
  declare_run(language_presets());
  list.section("Data");
  list.add("train", train, "training text (or gz)").kind("FILE").required();
  list.add("valid", valid, "validation text").kind("FILE");
  list.add("valid-fraction", valid_fraction,
           "without a validation file: the share of the training text, at its end, held out as one")
      .at_least(0)
      .below(1);
  list.add("line-ends", line_ends, text::line_ends_names(),
           "the end of a line is a token of its own, a space like others, or kept as it is, as "
           "imported models read it");
  list.add("text-begin", text_begin, text_begin_names(),
           "what a text begins after: the end of a line, <s>, as LLaMA, or nothing, as GPT-2");
  list.add("tracks", tracks, "places of the text that are read side by side: the batch size")
      .range(1, 1 << 20);
  list.add("window", window,
           "tokens of each between two updates (truncated backpropagation); 0: 35, or a "
           "Transformer's --longest")
      .range(0, 1 << 20);
  list.add("windows", windows, text::windows_names(),
           "one window begins where the last one ended, states carried; or anywhere");
  vocabulary.declare(list);
  model.declare(list);
  trainer.declare(list);
  draw.declare(list);
  list.section("Samples");
  list.add("samples", samples, "texts generated after a validation").range(0, 1000);
  list.add("sample-length", sample_length, "tokens of each").range(1, 1 << 20);
}

void LanguageOptions::apply_preset() {
  pipeline::apply_preset(*this, language_presets());
}

std::int64_t LanguageOptions::window_length() const {
  if (window > 0) return window;
  return model.model == LanguageModelKind::gpt ? model.stack.longest : 35;
}

void LanguageOptions::check() const {
  check_run();
  if (train.empty()) throw UsageError("--train: say which text to learn from");
  if (!valid.empty() && valid_fraction > 0) {
    throw UsageError("validation data: give --valid or --valid-fraction, not both");
  }
  if (model.model == LanguageModelKind::gpt && window > model.stack.longest) {
    throw UsageError(
        "--window {}: the Transformer sees {} tokens; widen it with --longest, or take less",
        window, model.stack.longest);
  }
}

}  // namespace heed::pipeline
