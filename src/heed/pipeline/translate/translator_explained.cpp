// SPDX-License-Identifier: Apache-2.0
// What is explained of a translation: one of its pieces after another.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/tracing.h"
#include "heed/pipeline/translate/explained_translation.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/copying.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

// A source and what was made of it, for every step.
struct ExplainedPair {
  std::shared_ptr<const models::EncoderDecoder> model;
  text::Encoding source{};  // with its end
  text::Tokens copies{};
  std::vector<std::string> words{};
  text::Tokens target{};  // with its end
  std::vector<std::string> pieces{};
  text::Token vocabulary = 0;
};

Explained explained_at(const std::shared_ptr<const ExplainedPair>& pair, std::size_t step,
                       const text::Token* other, const std::string& shown) {
  text::Tokens target(pair->target.begin(),
                      pair->target.begin() + static_cast<std::ptrdiff_t>(step) + 1);
  if (other != nullptr) target.back() = *other;
  if (target.back() >= pair->vocabulary) {
    throw UsageError(
        "step {}, \"{}\": it was copied from the source and has no number without it; explain "
        "another step",
        step + 1, shown);
  }
  Explained found{.subject = std::make_unique<ExplainedTranslation>(
                      ExplainedTranslation::Parts{.model = pair->model,
                                                  .source = pair->source,
                                                  .copies = pair->copies,
                                                  .words = pair->words.size(),
                                                  .target = std::move(target)}),
                  .words = pair->words,
                  .target = fmt::format("step {} = {}", step + 1, shown),
                  .steps = pair->pieces,
                  .step = step};
  found.probability = std::exp(found.subject->output());
  found.at = [pair](std::size_t number) {
    if (number >= pair->pieces.size()) {
      throw UsageError("step {}: the translation has {}", number + 1, pair->pieces.size());
    }
    return explained_at(pair, number, nullptr, pair->pieces[number]);
  };
  return found;
}

}  // namespace

Explained Translator::explained(const Input& input, const ExplainedTarget& target) const {
  if (models_.size() != 1) throw UsageError("explain: several models vote; explain one of them");
  const std::vector<std::string_view> words = text::words_of(input.text);
  if (words.empty()) throw UsageError("explain: an empty text; there are no words to explain");
  const std::string text =
      input.second.empty() ? translate(input.text, {.split = Split::never}).text : input.second;
  // As scoring reads them, which says what cannot be read.
  score(input.text, text);
  auto pair = std::make_shared<ExplainedPair>();
  pair->model = models_.front();
  pair->words.assign(words.begin(), words.end());
  pair->source = vocabularies_.source->encode(input.text);
  const text::Encoding wanted = vocabularies_.target->encode(text);
  text::CopiedSource copied;
  pair->target = wanted.tokens;
  pair->vocabulary = vocabularies_.target->size();
  if (copier_) {
    copied = copier_->source(pair->source);
    pair->target = copier_->target(wanted, copied);
    pair->copies = copied.tokens;
    pair->copies.push_back(text::kEnd);
  }
  pair->source.tokens.push_back(text::kEnd);
  pair->source.words.push_back(-1);
  pair->target.push_back(text::kEnd);
  pair->pieces = pieces_of(*vocabularies_.target, pair->target, copied.own);

  const ExplainedStep said = explained_step(target.label);
  if (said.step > pair->pieces.size()) {
    throw UsageError("--target {}: the translation \"{}\" has {} pieces, its end included",
                     target.label, text, pair->pieces.size());
  }
  if (said.word.empty()) {
    const std::size_t step = std::max<std::size_t>(said.step, 1) - 1;
    return explained_at(pair, step, nullptr, pair->pieces[step]);
  }
  const text::Tokens other = vocabularies_.target->encode(said.word).tokens;
  if (other.empty()) throw UsageError("--target {}: there is no word in it", target.label);
  if (std::ranges::count(other, text::kUnknown) > 0) {
    throw UsageError("--target {}: \"{}\" is not in the vocabulary", target.label, said.word);
  }
  if (said.step > 0) {
    return explained_at(pair, said.step - 1, other.data(),
                        vocabularies_.target->piece(other.front()));
  }
  const auto found =
      std::search(pair->target.begin(), pair->target.end(), other.begin(), other.end());
  if (found == pair->target.end()) {
    throw UsageError(
        "--target {}: the translation \"{}\" has no such word; name a step as well, "
        "such as 1={}",
        target.label, text, target.label);
  }
  const auto step = static_cast<std::size_t>(found - pair->target.begin());
  return explained_at(pair, step, nullptr, pair->pieces[step]);
}

}  // namespace heed::pipeline
