// SPDX-License-Identifier: Apache-2.0
// One step: the model reads the last token, the next is chosen, and what it adds to the text is
// told.
#include "heed/pipeline/language/language_writing.h"
#include "heed/pipeline/probability.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/kernels/reductions.h"

namespace heed::pipeline {

LanguageGenerator::Writing::Writing(const LanguageGenerator& generator, std::string_view prompt,
                                    const GenerateOptions& options)
    : generator_(generator),
      options_((check(options.draw), options)),
      prompt_(prompt),
      begun_(generator.prompt_tokens(prompt, options)),
      stepper_(*generator.model_, begun_, {.cache = options.cache, .watch = wanted_trace()}),
      read_(begun_.end() - stepper_.prompt_read(), begun_.end()),
      forbidden_{text::kPadding, text::kBegin},
      random_(options.seed, options.number) {
  look(stepper_.prompt_read());
  if (!options_.unknown) forbidden_.push_back(text::kUnknown);
  if (generator_.line_ends_ == text::LineEnds::space) forbidden_.push_back(text::kEnd);
  line_.assign(std::find(begun_.rbegin(), begun_.rend(), text::kEnd).base(), begun_.end());
  shown_ = generator_.tokeniser_->decode(line_).text.size();
}

void LanguageGenerator::Writing::look(std::int64_t rows) {
  if (!options_.trace) return;
  looks_.add(left_, {.read = static_cast<std::int64_t>(read_.size()), .rows = rows});
}

// A tokeniser joins whole lines, so a line is decoded again with each token, and what is new of it
// is the piece.
std::string LanguageGenerator::Writing::shown(text::Token token) {
  if (token == text::kEnd) {
    line_.clear();
    shown_ = 0;
    return "\n";
  }
  line_.push_back(token);
  const std::string text = generator_.tokeniser_->decode(line_).text;
  std::string piece = text.size() > shown_ ? text.substr(shown_) : "";
  shown_ = std::max(shown_, text.size());
  return piece;
}

std::string LanguageGenerator::Writing::next() {
  left_ = {};
  Tensor found = stepper_.step(Ids::of({1}, {token_}), wanted_trace());
  if (written_ > 0) {
    read_.push_back(token_);
    look(1);
  }
  for (const text::Token no : forbidden_) {
    found.mutable_data()[no] = -std::numeric_limits<Real>::infinity();
  }
  const std::span<const Real> row(found.data(), static_cast<std::size_t>(found.size(1)));
  token_ = options_.greedy ? static_cast<text::Token>(kernels::argmax(row.data(), row.size()))
                           : decoding::draw_token(row, options_.draw, random_);
  ++written_;
  require_probability(token_ == decoding::kNoToken ? std::numeric_limits<Real>::quiet_NaN()
                                                   : row[static_cast<std::size_t>(token_)],
                      "token", static_cast<std::size_t>(written_));
  std::string piece = shown(token_);
  text_ += piece;
  return piece;
}

Continuation LanguageGenerator::Writing::finished() const {
  if (!options_.trace || written_ == 0) return {.text = text_};
  text::Tokens next(read_.begin() + 1, read_.end());
  next.push_back(token_);
  return {.text = text_,
          .trace = looks_.finished({.read = traced_tokens(*generator_.tokeniser_, read_),
                                    .next = traced_tokens(*generator_.tokeniser_, next),
                                    .title = prompt_})};
}

}  // namespace heed::pipeline
