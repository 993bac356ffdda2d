// SPDX-License-Identifier: Apache-2.0
// A text in the making: what LanguageGenerator::continuation() does, token by token at the caller's
// pace, so that several texts can be written in turns, or one be left off.
//
//   LanguageGenerator::Writing writing(generator, "Once", {.length = 200});
//   while (!writing.done()) std::cout << writing.next();
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/random.h"
#include "heed/decoding/language_stepper.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_trace.h"
#include "heed/pipeline/language/stop_texts.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// A token of a text in the making.
struct WrittenToken {
  std::string piece{};       // what it adds to the text
  std::size_t begin = 0;     // where that is, in bytes
  Real log_probability = 0;  // as the model foresaw it, whatever the temperature
  // The likeliest tokens in its place, itself among them or not, likeliest first.
  std::vector<std::pair<std::string, Real>> alternatives{};
};

class LanguageGenerator::Writing {
 public:
  // Reads the prompt. The generator must outlive this. Errors as of continuation().
  Writing(const LanguageGenerator& generator, std::string_view prompt,
          const GenerateOptions& options);
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  // Whether all tokens that were asked for are written, or a text to end before has come.
  bool done() const { return stopped_ || written_ >= options_.length; }
  bool stopped() const { return stopped_; }
  std::int64_t written() const { return written_; }
  // Writes one token more, and gives what is known of the text by then and was not given yet:
  // maybe nothing, while what was written may begin a text to end before.
  std::string next();
  // With options.probabilities: every token of the text so far.
  const std::vector<WrittenToken>& tokens() const { return tokens_; }
  // What was written so far.
  Continuation finished() const;

 private:
  void look(std::int64_t rows);
  attention::Trace* wanted_trace() { return options_.trace ? &left_ : nullptr; }
  // What a token would add to the text.
  std::string piece_of(text::Token token);
  std::string shown(text::Token token);
  void keep(text::Token token, const std::string& piece, std::span<const Real> row);

  const LanguageGenerator& generator_;
  GenerateOptions options_;
  std::string prompt_;
  text::Tokens begun_;
  attention::Trace left_{};
  decoding::LanguageStepper stepper_;
  LanguageTrace looks_{};
  text::Tokens read_{};  // of the prompt and after it, by the model
  text::Tokens forbidden_{};
  text::Tokens line_{};    // tokens of the line that is being written
  std::size_t shown_ = 0;  // bytes of it that are known already
  Random random_;
  StopTexts stops_;
  std::string text_{};
  std::size_t given_ = 0;  // bytes of it that next() has given
  std::vector<WrittenToken> tokens_{};
  bool stopped_ = false;
  text::Token token_ = text::kBegin;
  std::int64_t written_ = 0;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
