// SPDX-License-Identifier: Apache-2.0
// Copies of a source, each with the same translation up to one piece.
#include "heed/pipeline/translate/explained_translation.h"

#include "heed/autograd/ops.h"
#include "heed/text/batch.h"

namespace heed::pipeline {

using attention::Role;

ExplainedTranslation::ExplainedTranslation(Parts parts)
    : ExplainedTokens({.tokens = std::move(parts.source.tokens),
                       .words = std::move(parts.source.words),
                       .words_in_all = parts.words,
                       .beside = parts.target.size()}),
      model_(std::move(parts.model)),
      copies_(std::move(parts.copies)),
      target_(std::move(parts.target)) {}

Variable ExplainedTranslation::numbers(std::span<const Copy> copies,
                                       attention::Observer* watch) const {
  std::vector<text::Tokens> rows, copied;
  for (const Copy& copy : copies) {
    rows.push_back(copy.tokens);
    if (copies_.empty()) continue;
    text::Tokens& mine = copied.emplace_back();
    for (std::size_t i = 0; i < copy.from.size(); ++i) {
      const auto place = static_cast<std::size_t>(copy.from[i]);
      mine.push_back(copy.tokens[i] == text().tokens[place] ? copies_[place] : text::kUnknown);
    }
  }
  models::Source source(models::sequences(text::pad_rows(rows)));
  if (!copies_.empty()) {
    source.copies = models::sequences(text::pad_rows(copied)).ids;
    for (std::int64_t row = 0; row < source.copies.size(0); ++row) {
      for (std::int64_t i = source.sentences.lengths.at({row}); i < source.copies.size(1); ++i) {
        source.copies.mutable_data()[row * source.copies.size(1) + i] = -1;
      }
    }
  }
  const models::Sequences target =
      models::sequences(text::pad_rows(std::vector<text::Tokens>(rows.size(), target_)));
  const models::Call call{.watch = watch};
  const Variable logits = model_->decode(model_->encode(source, call), target, call).logits;
  // [N * T,V], of which each copy's last row.
  const Variable by_copy =
      reshape(logits, {static_cast<std::int64_t>(rows.size()), -1, logits.size(1)});
  const Variable last = select(by_copy, 1, by_copy.size(1) - 1);
  return select(log_softmax(last), 1, target_.back());
}

std::vector<double> ExplainedTranslation::attention() const {
  if (!attends()) return Subject::attention();
  return explain::shares_of(looks(), {}, [](const explain::Look& look) { return look.weights; });
}

// The decoder's layers look at the source with one query for each piece, the last of which writes
// what is explained.
std::optional<LooksPlan> ExplainedTranslation::plan() const {
  LooksPlan plan{.words = text().words, .size = size(), .layers = "encoder."};
  plan.is_layer = [](const attention::Site& site) {
    return site.role == Role::self && site.keys == "source";
  };
  plan.is_read = [](const attention::Site& site) { return site.role == Role::cross; };
  return plan;
}

}  // namespace heed::pipeline
