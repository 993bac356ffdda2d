// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of an encoder's options.
#include "heed/pipeline/text_encoder_options.h"

#include <fmt/format.h>

#include "heed/base/text.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/presets.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {

void EncoderOptions::declare_encoder(Options& options) {
  options.section("Encoder");
  options.add("encoder", encoder, models::text_encoder_names(),
              "how words become states: embeddings alone, convolutions, a recurrent network, the "
              "Transformer");
  options.add("embedding", embedding, "bag, cnn, rnn: features of a word").range(1, 65536);
  options.add("hidden", hidden, "cnn: features of a state; rnn: units of a layer and direction")
      .range(1, 65536);
  options.add("layers", stack.layers, "cnn, rnn, transformer: layers").range(1, 1000);
  options.add("cell", cell, nn::cell_names(), "rnn: its cell");
  options.add("bidirectional", bidirectional, "rnn: reads both ways");
  options.add("orthogonal", orthogonal,
              "rnn: each state at right angles to the sum of those before, so that states differ "
              "(Mohankumar 2020)");
  options.add("filters", filters, "cnn: words each filter covers, side by side");
  options.add("dilated", dilated, "cnn: layer i skips 2^i - 1 words between those it reads");
  options.add("encoder-attention", stack.attention,
              "transformer: the mechanism of its layers, in its written form");
  options.add("begin-token", begin_token,
              "each text begins with <s> as it ends with </s>: BERT's [CLS] and [SEP]");
  stack.declare(options);
}

models::TextEncoderOptions EncoderOptions::to_options(std::int64_t vocabulary) const {
  models::TextEncoderOptions made{.vocabulary = vocabulary,
                                  .kind = encoder,
                                  .embedding = embedding,
                                  .dropout = static_cast<Real>(stack.dropout),
                                  .locked_dropout = stack.locked_dropout,
                                  .layers = stack.layers,
                                  .hidden = hidden,
                                  .widths = {},
                                  .dilated = dilated,
                                  .cell = cell,
                                  .bidirectional = bidirectional,
                                  .orthogonal = orthogonal,
                                  .stack = stack};
  for (const std::string& width : filters) {
    made.widths.push_back(parse_integer(width, "--filters"));
  }
  return made;
}

std::int64_t EncoderOptions::places() const {
  return encoder == models::TextEncoderKind::transformer ? stack.most_tokens() : 0;
}

std::string EncoderOptions::kind_text() const {
  switch (encoder) {
    case models::TextEncoderKind::bag:
      return "embeddings";
    case models::TextEncoderKind::cnn:
      return fmt::format("convolutions over {} words{}", join(filters, ", "),
                         dilated ? ", dilated" : "");
    case models::TextEncoderKind::rnn:
      return fmt::format("recurrent network ({}, {}{})",
                         nn::cell_names()[static_cast<std::size_t>(cell)],
                         bidirectional ? "both directions" : "one direction",
                         orthogonal ? ", orthogonal states" : "");
    case models::TextEncoderKind::transformer:
      return fmt::format("Transformer, attention `{}`", stack.attention);
  }
  return {};
}

void fill_in_encoder(KindOptions& mine) {
  if (mine.init_from.empty()) return;
  const ModelFolder from{mine.init_from};
  const ModelKind& kind = from.kind();
  if (!mine.kind().starts_from(kind)) return;  // as training will say
  const std::unique_ptr<KindOptions> theirs = kind.options();
  from.read_config(theirs->list);
  EncoderOptions encoder;
  Options wishes;
  encoder.declare_encoder(wishes);
  for (const Option& option : wishes.all()) {
    wishes.read_toml_text(
        fmt::format("{} = {}\n", option.name(), theirs->list.find(option.name())->value_text()),
        mine.init_from);
  }
  fill_in(mine.list, wishes, mine.init_from);
}

}  // namespace heed::pipeline
