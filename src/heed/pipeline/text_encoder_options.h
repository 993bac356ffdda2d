// SPDX-License-Identifier: Apache-2.0
// The options of a text encoder, as command lines and config files name them.
#pragma once

#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/models/text_encoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct KindOptions;

struct EncoderOptions {
  models::TextEncoderKind encoder = models::TextEncoderKind::rnn;
  std::int64_t embedding = 128;
  std::int64_t hidden = 128;
  nn::Cell cell = nn::Cell::lstm;
  bool bidirectional = true;
  bool orthogonal = false;
  std::vector<std::string> filters = {"1", "3", "5", "7"};
  bool dilated = false;
  // The Transformer's, and the layers and the dropout of every encoder.
  models::TransformerStackOptions stack{.layers = 1};

  bool begin_token = false;  // whether a text begins with text::kBegin

  void declare_encoder(Options& options);
  // UsageError for widths of filters that are no numbers.
  models::TextEncoderOptions to_options(std::int64_t vocabulary) const;
  // How many positions were learned; 0: none, and a text may have any length.
  std::int64_t places() const;
  std::string kind_text() const;  // for cards: "recurrent network (lstm, both directions)"
};

// What a kind teaches whose models have such an encoder, for classifiers and others to start from.
inline constexpr const char* kTextEncoder = "text encoder";

// Gives options of an encoder that nobody has set the values of the model that --init-from names,
// where it names one of a kind that this one starts from.
void fill_in_encoder(KindOptions& mine);

}  // namespace heed::pipeline

#pragma GCC visibility pop
