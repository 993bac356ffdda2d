// SPDX-License-Identifier: Apache-2.0
// LanguageTrace: what a language model looked at, gathered while it reads a text piece by piece, in
// windows, or after a carried state.
//
//   LanguageTrace trace;
//   attention::Trace left;
//   model.read(state, tokens, {.watch = &left});
//   trace.add(left, {.read = 12, .rows = 12});
//   trace.finished({.read = ..., .next = ...});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/trace.h"
#include "heed/pipeline/tracing.h"
#include "heed/text/token.h"

namespace heed::pipeline {

class LanguageTrace {
 public:
  struct Piece {
    std::int64_t read = 0;  // tokens of the text so far, these included
    std::int64_t rows = 0;  // how many of them, the last, count; others were read again
  };
  // What reading one text left. Its last key is the last token read, or the state after it. One
  // call of read() leaves one entry per site, or several, one after the other, of a model that
  // reads in segments. UsageError for a text whose trace would not fit into
  // memory (kMostWeights in all).
  void add(const attention::Trace& trace, const Piece& piece);

  static constexpr std::int64_t kMostWeights = std::int64_t{1} << 28;

  // Strips "next", the token that each query foresees; "text", the tokens read; and for models that
  // look at their own states "past": before the text, then after each token but the last.
  // Attentions: "decoder self", "history".
  struct Text {
    TracedTokens read{};
    TracedTokens next{};
    std::string title{};
  };
  insight::TracedExample finished(const Text& text) const;

 private:
  // The weights of one token at one site, [H,K], the last key at position `last`.
  struct Row {
    Tensor weights;
    std::int64_t last = 0;
  };
  struct Site {
    attention::Site site;
    std::vector<Row> rows;  // by token
  };
  std::vector<Site> sites_;
  bool begun_ = false;
};

// Tokens of a long text, whose lines end with text::kEnd, and their words; ends have none. The
// pieces are as surface_of_lines() gives them of `text`.
TracedTokens traced_tokens(const text::Tokeniser& tokeniser, std::span<const text::Token> tokens,
                           std::string_view text = {});
// Puts the letters of a text into an example that was traced of its tokens alone.
void show_surface(insight::TracedExample& example, const text::Tokeniser& tokeniser,
                  std::span<const text::Token> tokens, std::string_view text);

}  // namespace heed::pipeline
