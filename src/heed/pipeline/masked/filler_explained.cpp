// SPDX-License-Identifier: Apache-2.0
// What is explained of a text with gaps: a word in one of them.
#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/trace/label.h"
#include "heed/pipeline/masked/explained_gap.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {

Explained Filler::explained(const Input& input, const ExplainedTarget& target) const {
  Gaps gaps = read(input.text);
  const ExplainedStep wanted = explained_step(target.label);
  const std::size_t gap = std::max<std::size_t>(wanted.step, 1) - 1;
  if (gap >= gaps.places.size()) {
    throw UsageError("--target {}: the text has {} gap{}; name one of them, from 1 on",
                     target.label, gaps.places.size(), gaps.places.size() == 1 ? "" : "s");
  }
  const Tensor shares =
      softmax(logits(gaps, nullptr)).value().select(0, static_cast<std::int64_t>(gap)).packed();
  text::Token guess = text::kUnknown;
  if (wanted.word.empty()) {
    const auto pieces = shares.span().subspan(text::kFirstPiece);
    guess = static_cast<text::Token>(std::ranges::max_element(pieces) - pieces.begin()) +
            text::kFirstPiece;
  } else {
    const text::Tokens tokens = tokeniser_->encode(wanted.word).tokens;
    if (tokens.size() != 1 || tokens.front() < text::kFirstPiece) {
      throw UsageError(
          "--target {}: a gap is one piece of the vocabulary, and \"{}\" is {}; heed fill shows "
          "what fits",
          target.label, wanted.word,
          tokens.size() == 1 ? "not in it" : fmt::format("{} pieces", tokens.size()));
    }
    guess = tokens.front();
  }
  const text::Token one[] = {guess};
  const std::string word(trim(tokeniser_->decode(one).text));

  int last = -1;
  for (const int number : gaps.words) last = std::max(last, number);
  std::vector<std::vector<std::string>> pieces(static_cast<std::size_t>(last + 1));
  for (std::size_t i = 0; i < gaps.words.size(); ++i) {
    if (gaps.words[i] >= 0)
      pieces[static_cast<std::size_t>(gaps.words[i])].push_back(gaps.pieces[i]);
  }
  Explained found{
      .target = fmt::format("gap {} = {}", gap + 1, word.empty() ? tokeniser_->piece(guess) : word),
      .probability = static_cast<double>(shares.at({guess}))};
  for (const std::vector<std::string>& mine : pieces) found.words.push_back(insight::word_of(mine));
  const bool own_mask = tokeniser_->mask() != text::kUnknown;
  found.subject = std::make_unique<ExplainedGap>(
      ExplainedGap::Parts{.model = model_,
                          .tokens = std::move(gaps.tokens),
                          .words = std::move(gaps.words),
                          .words_in_all = found.words.size(),
                          .nobody = own_mask ? tokeniser_->mask() : text::kUnknown,
                          .place = static_cast<std::size_t>(gaps.places[gap]),
                          .guess = guess});
  return found;
}

}  // namespace heed::pipeline
