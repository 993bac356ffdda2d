// SPDX-License-Identifier: Apache-2.0
// What is explained of a continuation: one of its tokens after another.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/language/explained_prompt.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/tracing.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kWritten = 8;  // tokens, where no continuation is given

struct ExplainedContinuation {
  std::shared_ptr<const models::LanguageModel> model;
  text::Tokens prompt{};
  std::vector<int> of_words{};  // of each token of the prompt
  std::vector<std::string> words{};
  text::Tokens written{};
  std::vector<std::string> pieces{};
};

Explained explained_at(const std::shared_ptr<const ExplainedContinuation>& text, std::size_t step,
                       text::Token next, const std::string& shown) {
  ExplainedPrompt::Parts parts{.model = text->model,
                               .tokens = text->prompt,
                               .words = text->of_words,
                               .words_in_all = text->words.size(),
                               .next = next};
  parts.tokens.insert(parts.tokens.end(), text->written.begin(),
                      text->written.begin() + static_cast<std::ptrdiff_t>(step));
  parts.words.resize(parts.tokens.size(), -1);
  Explained found{.subject = std::make_unique<ExplainedPrompt>(std::move(parts)),
                  .words = text->words,
                  .target = fmt::format("step {} = {}", step + 1, shown),
                  .steps = text->pieces,
                  .step = step};
  found.probability = std::exp(found.subject->output());
  found.at = [text](std::size_t number) {
    if (number >= text->written.size()) {
      throw UsageError("step {}: the continuation has {}", number + 1, text->written.size());
    }
    return explained_at(text, number, text->written[number], text->pieces[number]);
  };
  return found;
}

}  // namespace

Explained LanguageGenerator::explained(const Input& input, const ExplainedTarget& target) const {
  if (text::words_of(input.text).empty()) {
    throw UsageError("explain: an empty text; there are no words to explain");
  }
  auto text = std::make_shared<ExplainedContinuation>();
  text->model = model_;
  text->prompt = prompt_tokens(input.text, {});
  const std::string next =
      input.second.empty()
          ? generate(input.text,
                     {.length = kWritten, .greedy = true, .long_prompt = LongPrompt::fail})
          : input.second;
  // What the whole text has behind the prompt, as long as its tokens begin with these; else the
  // continuation read by itself.
  const text::Tokens all = prompt_tokens(input.text + next, {.long_prompt = LongPrompt::crop});
  const bool follows = all.size() > text->prompt.size() &&
                       std::equal(text->prompt.begin(), text->prompt.end(), all.begin());
  if (follows) {
    text->written.assign(all.begin() + static_cast<std::ptrdiff_t>(text->prompt.size()), all.end());
  } else {
    text->written = encode(next).tokens;
  }
  if (text->written.empty()) throw UsageError("explain: nothing was written after the text");
  const auto length = static_cast<std::int64_t>(text->prompt.size() + text->written.size()) - 1;
  if (model_->longest() > 0 && length > model_->longest()) {
    throw UsageError("explain: {} tokens with what was written, and the model sees {}; shorten it",
                     length, model_->longest());
  }
  text->pieces = pieces_of(*tokeniser_, text->written);

  // Words of one line; what cannot be laid along them is a word of its own.
  const text::Encoding line = tokeniser_->encode(input.text);
  const std::size_t before =
      text->prompt.size() - std::min(line.tokens.size(), text->prompt.size());
  if (std::equal(line.tokens.begin(), line.tokens.end(),
                 text->prompt.begin() + static_cast<std::ptrdiff_t>(before), text->prompt.end()) &&
      before <= 1) {
    for (const std::string_view word : text::words_of(input.text)) text->words.emplace_back(word);
    text->of_words.assign(before, -1);
    text->of_words.insert(text->of_words.end(), line.words.begin(), line.words.end());
  } else {
    text->words = pieces_of(*tokeniser_, text->prompt);
    for (std::size_t i = 0; i < text->words.size(); ++i) {
      text->of_words.push_back(static_cast<int>(i));
    }
  }

  const ExplainedStep said = explained_step(target.label);
  if (said.step > text->written.size()) {
    throw UsageError("--target {}: the continuation has {} tokens", target.label,
                     text->written.size());
  }
  std::size_t step = std::max<std::size_t>(said.step, 1) - 1;
  if (said.word.empty()) return explained_at(text, step, text->written[step], text->pieces[step]);
  const text::Tokens other = tokeniser_->encode(said.word).tokens;
  if (other.empty()) throw UsageError("--target {}: there is no word in it", target.label);
  if (std::ranges::count(other, text::kUnknown) > 0) {
    throw UsageError("--target {}: \"{}\" is not in the vocabulary", target.label, said.word);
  }
  if (said.step == 0) {
    const auto found =
        std::search(text->written.begin(), text->written.end(), other.begin(), other.end());
    if (found == text->written.end()) {
      throw UsageError(
          "--target {}: the continuation has no such word; name a step as well, such "
          "as 1={}",
          target.label, target.label);
    }
    step = static_cast<std::size_t>(found - text->written.begin());
  }
  return explained_at(text, step, other.front(), tokeniser_->piece(other.front()));
}

}  // namespace heed::pipeline
