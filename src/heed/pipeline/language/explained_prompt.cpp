// SPDX-License-Identifier: Apache-2.0
// Copies of a prompt side by side, each read to its own end.
#include "heed/pipeline/language/explained_prompt.h"

#include "heed/autograd/ops.h"
#include "heed/models/text_encoder.h"
#include "heed/text/batch.h"

namespace heed::pipeline {

ExplainedPrompt::ExplainedPrompt(Parts parts)
    : ExplainedTokens({.tokens = std::move(parts.tokens),
                       .words = std::move(parts.words),
                       .words_in_all = parts.words_in_all}),
      model_(std::move(parts.model)),
      next_(parts.next) {}

// What is behind a copy's last token is padding, which a model that reads from left to right has
// not seen there.
Variable ExplainedPrompt::numbers(std::span<const Copy> copies, attention::Observer* watch) const {
  std::vector<text::Tokens> rows;
  for (const Copy& copy : copies) {
    rows.push_back(copy.tokens);
    if (rows.back().empty()) rows.back().push_back(text::kEnd);
  }
  const models::Sequences text = models::sequences(text::pad_rows(rows));
  const models::Reading read =
      model_->read(model_->start(text.ids.size(0)), text.ids, {.watch = watch});
  const Variable logits = model_->logits(models::last_states(read.hidden, text.lengths));
  return select(log_softmax(logits), 1, next_);
}

std::vector<double> ExplainedPrompt::attention() const {
  if (!attends()) return Subject::attention();
  return explain::shares_of(looks(), {}, [](const explain::Look& look) { return look.weights; });
}

std::optional<LooksPlan> ExplainedPrompt::plan() const {
  LooksPlan plan{.words = text().words, .size = size(), .layers = "stack.", .causal = true};
  plan.is_layer = [](const attention::Site& site) { return site.role == attention::Role::self; };
  plan.is_read = [](const attention::Site& site) { return site.role == attention::Role::history; };
  plan.readout.assign(plan.words.size(), 0);
  plan.readout.back() = 1;
  return plan;
}

}  // namespace heed::pipeline
