// SPDX-License-Identifier: Apache-2.0
// The gap of copies of a text, wherever it has moved.
#include "heed/pipeline/masked/explained_gap.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/text/batch.h"

namespace heed::pipeline {
namespace {

// The word of the gap is what is asked about: it stays.
std::vector<bool> only(std::size_t words, int stays) {
  std::vector<bool> all(words, false);
  if (stays >= 0) all[static_cast<std::size_t>(stays)] = true;
  return all;
}

}  // namespace

ExplainedGap::ExplainedGap(Parts parts)
    : ExplainedTokens({.tokens = std::move(parts.tokens),
                       .words = parts.words,
                       .words_in_all = parts.words_in_all,
                       .nobody = parts.nobody,
                       .stays = only(parts.words_in_all, parts.words[parts.place])}),
      model_(std::move(parts.model)),
      place_(parts.place),
      guess_(parts.guess) {}

Variable ExplainedGap::numbers(std::span<const Copy> copies, attention::Observer* watch) const {
  std::vector<text::Tokens> rows;
  for (const Copy& copy : copies) rows.push_back(copy.tokens);
  const models::Sequences text = models::sequences(text::pad_rows(rows));
  std::vector<std::int32_t> places;
  for (std::size_t n = 0; n < copies.size(); ++n) {
    const auto gap = std::ranges::find(copies[n].from, static_cast<std::int32_t>(place_)) -
                     copies[n].from.begin();
    places.push_back(
        static_cast<std::int32_t>(static_cast<std::int64_t>(n) * text.ids.size(1) + gap));
  }
  const auto count = static_cast<std::int64_t>(copies.size());
  const Variable logits = (*model_)(text, Ids::of({count}, places), {.watch = watch});
  return select(log_softmax(logits), 1, guess_);
}

std::vector<double> ExplainedGap::attention() const {
  if (!attends()) return Subject::attention();
  return explain::shares_of(looks(), {}, [](const explain::Look& look) { return look.weights; });
}

std::optional<LooksPlan> ExplainedGap::plan() const {
  LooksPlan plan{.words = text().words, .size = size(), .layers = "encoder."};
  plan.is_layer = [](const attention::Site& site) { return site.role == attention::Role::self; };
  plan.readout.assign(plan.words.size(), 0);
  plan.readout[place_] = 1;
  return plan;
}

}  // namespace heed::pipeline
