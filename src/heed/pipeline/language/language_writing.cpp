// SPDX-License-Identifier: Apache-2.0
// One step: the model reads the last token, the next is chosen, and what it adds to the text is
// told.
#include "heed/pipeline/language/language_writing.h"
#include "heed/pipeline/probability.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/base/error.h"
#include "heed/kernels/reductions.h"

namespace heed::pipeline {

LanguageGenerator::Writing::Writing(const LanguageGenerator& generator, std::string_view prompt,
                                    const GenerateOptions& options)
    : generator_(generator),
      options_((check(options.draw), options)),
      prompt_(prompt),
      begun_(generator.prompt_tokens(prompt, options)),
      stepper_(*generator.model_, begun_,
               {.cache = options.cache, .watch = wanted_trace(), .memory = options.memory}),
      read_(begun_.end() - stepper_.prompt_read(), begun_.end()),
      forbidden_{text::kPadding, text::kBegin},
      random_(options.seed, options.number),
      stops_(options.stop) {
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
std::string LanguageGenerator::Writing::piece_of(text::Token token) {
  if (token == text::kEnd) return generator_.line_ends_ == text::LineEnds::kept ? "" : "\n";
  line_.push_back(token);
  std::string text = generator_.tokeniser_->decode(line_).text;
  line_.pop_back();
  // Bytes that are not yet a whole character are told with the rest of it.
  constexpr std::string_view kReplacement = "\uFFFD";
  while (text.size() > shown_ && text.ends_with(kReplacement)) {
    text.resize(text.size() - kReplacement.size());
  }
  return text.size() > shown_ ? text.substr(shown_) : "";
}

std::string LanguageGenerator::Writing::shown(text::Token token) {
  std::string piece = piece_of(token);
  if (token == text::kEnd) {
    line_.clear();
    shown_ = 0;
  } else {
    line_.push_back(token);
    shown_ += piece.size();
  }
  return piece;
}

void LanguageGenerator::Writing::keep(text::Token token, const std::string& piece,
                                      std::span<const Real> row) {
  WrittenToken& kept = tokens_.emplace_back();
  kept = {.piece = piece,
          .begin = text_.size(),
          .log_probability = row[static_cast<std::size_t>(token)]};
  const auto count = std::min(static_cast<std::size_t>(options_.alternatives), row.size());
  std::vector<text::Token> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&](text::Token a, text::Token b) {
    return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    likelier);
  for (std::size_t i = 0; i < count; ++i) {
    const Real found = row[static_cast<std::size_t>(order[i])];
    if (std::isfinite(found)) kept.alternatives.emplace_back(piece_of(order[i]), found);
  }
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
  if (options_.probabilities) keep(token_, piece_of(token_), row);
  // Where ends of lines are characters, an end is that of the text.
  if (token_ == text::kEnd && generator_.line_ends_ == text::LineEnds::kept) stopped_ = true;
  const std::size_t known = text_.size();
  text_ += shown(token_);
  if (const std::size_t stop = stops_.find(text_, known); stop != text_.npos) {
    stopped_ = true;
    text_.resize(stop);
    while (!tokens_.empty() && tokens_.back().begin >= stop) tokens_.pop_back();
  }
  const std::size_t safe = text_.size() - (done() ? 0 : stops_.begun(text_));
  std::string piece = text_.substr(given_, safe - given_);
  given_ = safe;
  return piece;
}

Continuation LanguageGenerator::Writing::finished() const {
  if (!options_.trace || written_ == 0) return {.text = text_};
  text::Tokens next(read_.begin() + 1, read_.end());
  next.push_back(token_);
  return {.text = text_,
          .trace = looks_.finished({.read = traced_tokens(*generator_.tokeniser_, read_, prompt_),
                                    .next = traced_tokens(*generator_.tokeniser_, next, prompt_),
                                    .title = prompt_})};
}

}  // namespace heed::pipeline
