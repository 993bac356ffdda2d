// SPDX-License-Identifier: Apache-2.0
// A text in the making: what LanguageGenerator::continuation() does, token by token at the caller's
// pace, so that several texts can be written in turns, or one be left off.
//
//   LanguageGenerator::Writing writing(generator, "Once", {.length = 200});
//   while (!writing.done()) std::cout << writing.next();
#pragma once  // public header

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/random.h"
#include "heed/decoding/language_stepper.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_trace.h"

namespace heed::pipeline {

class LanguageGenerator::Writing {
 public:
  // Reads the prompt. The generator must outlive this. Errors as of continuation().
  Writing(const LanguageGenerator& generator, std::string_view prompt,
          const GenerateOptions& options);
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

  // Whether all tokens that were asked for are written.
  bool done() const { return written_ >= options_.length; }
  std::int64_t written() const { return written_; }
  // Writes one token more, and gives what it adds to the text: maybe nothing yet.
  std::string next();
  // What was written so far.
  Continuation finished() const;

 private:
  void look(std::int64_t rows);
  attention::Trace* wanted_trace() { return options_.trace ? &left_ : nullptr; }
  std::string shown(text::Token token);

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
  std::string text_{};
  text::Token token_ = text::kBegin;
  std::int64_t written_ = 0;
};

}  // namespace heed::pipeline
