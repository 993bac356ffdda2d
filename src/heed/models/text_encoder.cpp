// SPDX-License-Identifier: Apache-2.0
// States of tokens: padding is zero in, and never read on the way.
#include "heed/models/text_encoder.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/orthogonal_states.h"
#include "heed/models/word_observer.h"
#include "heed/nn/lengths.h"

namespace heed::models {
namespace {

constexpr std::int64_t kWidest = 4095;  // of a filter, in tokens
constexpr int kMostDilated = 24;

void check(const TextEncoderOptions& options) {
  if (options.vocabulary < 1) {
    throw UsageError("text encoder: a vocabulary of {}; it takes 1 or more", options.vocabulary);
  }
  if (options.kind == TextEncoderKind::transformer) return;
  if (options.embedding < 1 || options.hidden < 1 || options.layers < 1) {
    throw UsageError("text encoder: embedding {}, hidden {}, {} layers; all take 1 or more",
                     options.embedding, options.hidden, options.layers);
  }
  if (options.kind != TextEncoderKind::cnn) return;
  const auto count = static_cast<std::int64_t>(options.widths.size());
  if (count == 0 || options.hidden % count != 0) {
    throw UsageError(
        "text encoder: {} features do not divide into {} widths of filters; give a multiple",
        options.hidden, count);
  }
  for (const std::int64_t width : options.widths) {
    if (width < 1 || width % 2 == 0 || width > kWidest) {
      throw UsageError(
          "text encoder: a filter over {} tokens; it takes an odd number up to {}, as many on both "
          "sides of a token",
          width, kWidest);
    }
  }
  if (options.dilated && options.layers > kMostDilated) {
    throw UsageError(
        "text encoder: {} dilated layers; it takes at most {}, the last of which skips 2^{} words",
        options.layers, kMostDilated, kMostDilated - 1);
  }
}

// x [B,D,S] with zeros for padding.
Variable hide_padding(const Variable& x, const Ids& lengths) {
  const Variable by_token = reshape(transpose(x, 1, 2), {x.size(0), 1, x.size(2), x.size(1)});
  const Variable clean = nn::without_padding(by_token, lengths);
  return transpose(reshape(clean, {x.size(0), x.size(2), x.size(1)}), 1, 2);
}

}  // namespace

const std::vector<std::string>& text_encoder_names() {
  static const std::vector<std::string> names = {"bag", "cnn", "rnn", "transformer"};
  return names;
}

Variable last_states(const Variable& x, const Ids& lengths) {
  Ids rows({x.size(0)});
  for (std::int64_t b = 0; b < x.size(0); ++b) {
    rows.mutable_data()[b] = static_cast<std::int32_t>(b * x.size(1)) + lengths.at({b}) - 1;
  }
  return embedding(reshape(x, {-1, x.size(2)}), rows);
}

TextEncoder::TextEncoder(const TextEncoderOptions& options, Random& random)
    : options_(options), dropout_{options.dropout} {
  check(options_);
  const bool transformer = options_.kind == TextEncoderKind::transformer;
  if (transformer) options_.embedding = options_.stack.width;
  words_ = nn::Embedding(options_.vocabulary, options_.embedding, random, text::kPadding);
  width_ = options_.embedding;
  if (options_.kind == TextEncoderKind::cnn) {
    const auto count = static_cast<std::int64_t>(options_.widths.size());
    for (int layer = 0; layer < options_.layers; ++layer) {
      const std::int64_t dilation = options_.dilated ? std::int64_t{1} << layer : 1;
      Filters& filters = filters_.emplace_back();
      for (const std::int64_t width : options_.widths) {
        filters.widths.emplace_back(
            width_, options_.hidden / count, width, random,
            Sliding{.padding = dilation * (width - 1) / 2, .dilation = dilation});
      }
      width_ = options_.hidden;
    }
  } else if (options_.kind == TextEncoderKind::rnn) {
    network_ = nn::RecurrentNetwork({.cell = options_.cell,
                                     .inputs = options_.embedding,
                                     .hidden = options_.hidden,
                                     .layers = options_.layers,
                                     .bidirectional = options_.bidirectional,
                                     .dropout = options_.dropout,
                                     .locked = options_.locked_dropout},
                                    random);
    width_ = network_.directions * options_.hidden;
  } else if (transformer) {
    stack_ = TransformerStack(options_.stack, random);
  }
}

void TextEncoder::visit(nn::ParameterVisitor& visitor) {
  visitor("embedding", words_);
  visitor("filters", filters_);
  visitor("network", network_);
  visitor("stack", stack_);
}

std::int64_t TextEncoder::longest() const {
  return options_.kind == TextEncoderKind::transformer ? stack_.longest() : 0;
}

Variable TextEncoder::drop(const Variable& x, const Call& call) const {
  if (!options_.locked_dropout) return dropout_(x, call.noise);
  return transpose(dropout_.locked(transpose(x, 0, 1), call.noise), 0, 1);
}

// words [B,S,E] -> [B,S,D]
Variable TextEncoder::convolved(const Variable& words, const Ids& lengths, const Call& call) const {
  Variable x = transpose(words, 1, 2);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    if (i > 0) {
      const Variable kept = options_.locked_dropout
                                ? transpose(drop(transpose(x, 1, 2), call), 1, 2)
                                : dropout_(x, call.noise);
      x = hide_padding(kept, lengths);
    }
    Variables parts;
    for (const nn::Convolution1d& filter : filters_[i].widths) parts.push_back(relu(filter(x)));
    const Variable read = concat(parts, 1);
    x = i > 0 ? x + read : read;  // the way around a layer, as deep stacks need
  }
  return transpose(x, 1, 2);
}

EncodedText TextEncoder::operator()(const Sequences& text, const Call& call,
                                    const attention::Site& site, const Variable& factors) const {
  check_sequences("text encoder", text, longest());
  if (factors.defined() &&
      (options_.kind == TextEncoderKind::transformer || factors.shape() != text.ids.shape())) {
    throw UsageError("text encoder: factors {} of words {}; a bag, cnn or rnn takes one of each",
                     factors.shape().text(), text.ids.shape().text());
  }
  EncodedText encoded{.lengths = text.lengths};
  if (options_.kind == TextEncoderKind::rnn) {
    Variable embedded = words_(text.ids.transpose().packed());  // [S,B,E]
    if (watches_words(call)) {
      embedded = transpose(watched_words(call, site, transpose(embedded, 0, 1)), 0, 1);
    }
    Variable words = options_.locked_dropout ? dropout_.locked(embedded, call.noise)
                                             : dropout_(embedded, call.noise);
    if (factors.defined()) {
      words = words * reshape(transpose(factors, 0, 1), {words.size(0), words.size(1), 1});
    }
    encoded.words = transpose(words, 0, 1);
    nn::RecurrentOutput read =
        options_.orthogonal ? orthogonal_states(network_, words, text.lengths, call.noise)
                            : network_(words, {.lengths = text.lengths, .noise = call.noise});
    encoded.states = attention::watched_states(call.watch, site, transpose(read.outputs, 0, 1));
    const std::size_t top = read.final.size() - static_cast<std::size_t>(network_.directions);
    encoded.last = network_.directions == 1 ? read.final[top].h
                                            : concat({read.final[top].h, read.final[top + 1].h}, 1);
    return encoded;
  }
  const WatchedTable read = watched_table(call, site, words_, text.ids);
  encoded.words = drop(read.table(read.ids), call);
  if (factors.defined()) {
    encoded.words = encoded.words * reshape(factors, {factors.size(0), factors.size(1), 1});
  }
  if (options_.kind == TextEncoderKind::transformer) {
    encoded.states = stack_(stack_.embed(read.table, read.ids, 0, call, text.segments),
                            {.lengths = text.lengths, .site = &site}, call);
  } else {
    encoded.states = encoded.words;
    if (options_.kind == TextEncoderKind::cnn) {
      encoded.states = convolved(encoded.states, text.lengths, call);
    }
    encoded.states = attention::watched_states(call.watch, site, encoded.states);
  }
  encoded.last = last_states(encoded.states, text.lengths);
  return encoded;
}

}  // namespace heed::models
