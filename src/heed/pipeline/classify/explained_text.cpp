// SPDX-License-Identifier: Apache-2.0
// The score of a class for copies of a text, and how its attentions came to it.
#include "heed/pipeline/classify/explained_text.h"

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/text/batch.h"

namespace heed::pipeline {

using attention::Role;

ExplainedText::ExplainedText(Parts parts)
    : ExplainedTokens({.tokens = std::move(parts.text.tokens),
                       .words = std::move(parts.text.words),
                       .words_in_all = parts.words,
                       .beside = parts.second.size()}),
      model_(std::move(parts.model)),
      second_(std::move(parts.second)),
      aspect_(parts.aspect),
      label_(parts.label),
      attention_(std::move(parts.attention)) {}

Variable ExplainedText::numbers(std::span<const Copy> copies, attention::Observer* watch) const {
  std::vector<text::Tokens> rows;
  for (const Copy& copy : copies) rows.push_back(copy.tokens);
  models::ClassifierInput input{.text = models::sequences(text::pad_rows(rows))};
  if (!second_.empty()) {
    input.second =
        models::sequences(text::pad_rows(std::vector<text::Tokens>(rows.size(), second_)));
  }
  return select((*model_)(input, {.watch = watch})[aspect_], 1, label_);
}

bool ExplainedText::is_text(const attention::Site& site) const {
  return site.role == Role::self && site.keys == "text";
}

// A token in front moves all others; sentences of a document are rows of their own.
ExplainedText::Slots ExplainedText::slots() const {
  Slots slots;
  if (!model_->options().documents) {
    const int front = model_->asks_by_token() ? 1 : 0;
    for (std::size_t i = 0; i < text().tokens.size(); ++i) {
      slots.places.emplace_back(0, static_cast<std::int64_t>(i) + front);
    }
    return slots;
  }
  std::int64_t sentence = 0, place = 0;
  for (const text::Token token : text().tokens) {
    slots.places.emplace_back(sentence, place++);
    if (token == text::kEnd) {
      ++sentence;
      place = 0;
    }
  }
  slots.rows = sentence + (place > 0 ? 1 : 0);
  return slots;
}

bool ExplainedText::is_pooling(const attention::Site& site) const {
  return site.role == Role::pooling && site.aspect == static_cast<int>(aspect_) &&
         site.hop + 1 == model_->options().hops;
}

std::vector<double> ExplainedText::attention() const {
  return attends() ? attention_ : Subject::attention();
}

bool ExplainedText::has_attention_gradients() const {
  return attends() && model_->looks_once();
}

std::vector<double> ExplainedText::attention_gradients() const {
  if (!has_attention_gradients()) return Subject::attention_gradients();
  insight::WeightGradients watched;
  watch(watched);
  for (const insight::WeightGradients::Entry& one : watched.entries()) {
    if (!is_pooling(one.site)) continue;
    // [1,1,1,S], and of each word the mean by weight.
    const std::vector<Real> gradients = one.gradient().values(), weights = one.weights.values();
    std::vector<Real> products, shares, ones(gradients.size(), 1);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      shares.push_back(attention::share_of(weights[i]));
      products.push_back(shares[i] * gradients[i]);
    }
    const std::vector<double> sums = by_word(products), weight = by_word(shares),
                              plain = by_word(gradients), count = by_word(ones);
    std::vector<double> found;
    for (std::size_t t = 0; t < size(); ++t) {
      found.push_back(weight[t] > 0 ? sums[t] / weight[t] : count[t] > 0 ? plain[t] / count[t] : 0);
    }
    return found;
  }
  throw InternalError("explained text: aspect {} has no pooling", aspect_);
}

// Layers and what reads them are over one text; of others the weights do not follow one another.
std::optional<LooksPlan> ExplainedText::plan() const {
  const models::ClassifierOptions& options = model_->options();
  if (!model_->shows_words() || options.documents || !options.syntax.empty()) return {};
  const bool pools = options.attention != "none";
  if (pools && options.second && options.matching != models::Matching::query) return {};
  if (!pools && options.summary == models::Summary::maximum) return {};
  LooksPlan plan{.size = size(), .layers = "encoder."};
  plan.is_layer = [this](const attention::Site& site) { return is_text(site); };
  if (model_->asks_by_token()) plan.words.push_back(-1);
  plan.words.insert(plan.words.end(), text().words.begin(), text().words.end());
  if (pools) {
    plan.is_read = [this](const attention::Site& site) { return is_pooling(site); };
  } else {
    // The last state is the end's, which a mean leaves out: it says nothing.
    const std::size_t tokens = plan.words.size(), read = std::max<std::size_t>(tokens - 1, 1);
    plan.readout.assign(tokens, 0);
    if (options.summary == models::Summary::last) {
      plan.readout.back() = 1;
    } else {
      std::fill_n(plan.readout.begin(), read, 1 / static_cast<double>(read));
    }
  }
  return plan;
}

}  // namespace heed::pipeline
