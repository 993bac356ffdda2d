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
  options.add("model", model, {"recurrent", "gpt", "transformer_xl"},
              "a recurrent network, the decoder-only Transformer, or one with a memory of the "
              "segments before");
  options.add("attention", attention,
              "the mechanism in its written form; recurrent: over its own past, empty: none; "
              "others: empty: scaled_dot");
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
  options
      .add("memory", memory,
           "transformer_xl: states of earlier segments that each layer keeps and looks at; 0: none")
      .range(0, 1 << 24);
  options.add(
      "compression", compression, models::compression_names(),
      "transformer_xl: what becomes of states that leave the memory: they are forgotten, or "
      "several become one slot (Compressive Transformer)");
  options.add("compression-rate", compression_rate, "transformer_xl: states that become one slot")
      .range(1, 65536);
  options.add("slots", slots, "transformer_xl: how many slots each layer keeps").range(1, 1 << 24);
  options
      .add(
          "compression-loss", compression_loss,
          "transformer_xl: what a convolution that compresses adds to the loss of a token for each "
          "unit of what attention reads otherwise")
      .at_least(0);
  stack.declare(options,
                "Transformer: its context, tokens that it sees at once; transformer_xl: of a "
                "segment");
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
  if (options.model == LanguageModelKind::transformer_xl) {
    models::TransformerXlOptions xl{.vocabulary = vocabulary,
                                    .segment = options.stack.longest,
                                    .memory = options.memory,
                                    .compression = options.compression,
                                    .rate = options.compression_rate,
                                    .slots = options.slots,
                                    .reconstruction = options.compression_loss,
                                    .tie = tie,
                                    .stack = options.stack};
    if (!options.attention.empty()) xl.stack.attention = options.attention;
    return std::make_unique<models::TransformerXl>(xl, random);
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
  if (model.model == LanguageModelKind::transformer_xl && !list.is_set("positions")) {
    model.stack.positions = models::TransformerXlOptions().stack.positions;
  }
}

std::int64_t LanguageOptions::window_length() const {
  if (window > 0) return window;
  return model.model == LanguageModelKind::recurrent ? 35 : model.stack.longest;
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
  const bool remembers = model.model == LanguageModelKind::transformer_xl &&
                         (model.memory > 0 || model.compression != models::CompressionKind::none);
  if (remembers && windows == text::Windows::random) {
    throw UsageError(
        "--windows random: windows begin anywhere, with nothing before them to remember; give "
        "--windows contiguous, or --memory 0 without --compression");
  }
}

}  // namespace heed::pipeline
