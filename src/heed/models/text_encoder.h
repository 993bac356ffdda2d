// SPDX-License-Identifier: Apache-2.0
// Encoders of a text, a vector for each of its tokens: embeddings alone, convolutions, a recurrent
// network or a Transformer. Classifiers and masked words are made of them.
//
// Letters: B texts, S tokens, E features of an embedding, D features of a state.
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/models/call.h"
#include "heed/models/sequences.h"
#include "heed/models/transformer_stack.h"
#include "heed/nn/convolution.h"
#include "heed/nn/embedding.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

enum class TextEncoderKind { bag, cnn, rnn, transformer };
const std::vector<std::string>& text_encoder_names();

struct TextEncoderOptions {
  std::int64_t vocabulary = 0;
  TextEncoderKind kind = TextEncoderKind::rnn;
  std::int64_t embedding = 128;  // the Transformer's is stack.width
  // Of embeddings and between layers, and whether all tokens of a text share one mask (Gal 2016);
  // the Transformer's is the stack's.
  Real dropout = 0;
  bool locked_dropout = false;
  int layers = 1;             // cnn, rnn
  std::int64_t hidden = 128;  // cnn: features of a state; rnn: units of a layer and direction
  // cnn: widths of filters side by side, all odd (Kim 2014, with a state for each token). Dilated,
  // layer i skips 2^i - 1 tokens between those it reads (Yu 2016).
  std::vector<std::int64_t> widths = {1, 3, 5, 7};
  bool dilated = false;
  nn::Cell cell = nn::Cell::lstm;  // rnn
  bool bidirectional = true;
  bool orthogonal = false;          // rnn: each state at right angles to the sum of those before
  TransformerStackOptions stack{};  // transformer
};

struct EncodedText {
  Variable states{};  // [B,S,D]
  Variable words{};   // [B,S,E], the embeddings alone
  // [B,D], what is known after the text: the last states of a recurrent network in each direction,
  // else the state of the last token.
  Variable last{};
  Ids lengths{};  // [B]
};

// The self-attention of an encoder over a text, unless a model calls it otherwise.
inline constexpr attention::Site kTextSite{
    .role = attention::Role::self, .set = "encoder self", .queries = "text", .keys = "text"};

class TextEncoder {
 public:
  TextEncoder() = default;
  // UsageError that says what would be right for options that do not fit each other.
  TextEncoder(const TextEncoderOptions& options, Random& random);

  // `site` is what observers are told of its self-attention. Words are multiplied by `factors`
  // [B,S] where there are some; a Transformer has none.
  EncodedText operator()(const Sequences& text, const Call& call,
                         const attention::Site& site = kTextSite,
                         const Variable& factors = {}) const;

  std::int64_t width() const { return width_; }                      // D
  std::int64_t word_width() const { return words_.weight.size(1); }  // E
  // The most tokens it can read; 0: any number.
  std::int64_t longest() const;
  const nn::Embedding& words() const { return words_; }
  void visit(nn::ParameterVisitor& visitor);

 private:
  // Filters of several widths over the same states.
  struct Filters {
    std::vector<nn::Convolution1d> widths{};
    void visit(nn::ParameterVisitor& visitor) { visitor("widths", widths); }
  };

  Variable drop(const Variable& x, const Call& call) const;  // x [B,S,...]
  Variable convolved(const Variable& words, const Ids& lengths, const Call& call) const;

  TextEncoderOptions options_;
  std::int64_t width_ = 0;
  nn::Dropout dropout_;
  nn::Embedding words_;
  std::vector<Filters> filters_;
  nn::RecurrentNetwork network_;
  TransformerStack stack_;
};

// x [B,S,D] -> [B,D]: the state of each text's last token.
Variable last_states(const Variable& x, const Ids& lengths);

}  // namespace heed::models

#pragma GCC visibility pop
