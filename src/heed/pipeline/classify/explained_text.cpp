// SPDX-License-Identifier: Apache-2.0
// Copies of a text in batches, and gradients by its words.
#include "heed/pipeline/classify/explained_text.h"

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/insight/observe/kept.h"
#include "heed/nn/module.h"
#include "heed/text/batch.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kTokensAtOnce = 4096;

}  // namespace

std::size_t ExplainedText::at_once() const {
  const std::size_t longest = std::max(parts_.text.tokens.size(), parts_.second.size());
  return std::max<std::size_t>(1, kTokensAtOnce / longest);
}

bool ExplainedText::removes(explain::Removal removal) const {
  return removal != explain::Removal::zero || has_gradients();
}

text::Tokens ExplainedText::tokens_of(const explain::Kept& kept, explain::Removal removal) const {
  text::Tokens tokens;
  for (std::size_t i = 0; i < parts_.text.tokens.size(); ++i) {
    const int word = parts_.text.words[i];
    const bool there = word < 0 || kept[static_cast<std::size_t>(word)];
    if (there) {
      tokens.push_back(parts_.text.tokens[i]);
    } else if (removal == explain::Removal::mask) {
      tokens.push_back(text::kUnknown);
    }
  }
  return tokens;
}

models::ClassifierInput ExplainedText::input_of(std::span<const text::Tokens> rows) const {
  models::ClassifierInput input{.text = models::sequences(text::pad_rows(rows))};
  if (!parts_.second.empty()) {
    input.second =
        models::sequences(text::pad_rows(std::vector<text::Tokens>(rows.size(), parts_.second)));
  }
  return input;
}

models::ClassifierInput ExplainedText::scaled(std::span<const std::vector<double>> factors) const {
  const std::vector<text::Tokens> rows(factors.size(), parts_.text.tokens);
  models::ClassifierInput input = input_of(rows);
  Tensor of_tokens = Tensor::full(input.text.ids.shape(), Real{1});
  Real* out = of_tokens.mutable_data();
  for (const std::vector<double>& row : factors) {
    for (const int word : parts_.text.words) {
      if (word >= 0) *out = static_cast<Real>(row[static_cast<std::size_t>(word)]);
      ++out;
    }
  }
  input.factors = Variable::leaf(of_tokens);
  return input;
}

std::vector<double> ExplainedText::by_word(std::span<const Real> tokens) const {
  std::vector<double> words(size(), 0);
  for (std::size_t i = 0; i < parts_.text.words.size(); ++i) {
    const int word = parts_.text.words[i];
    if (word >= 0) words[static_cast<std::size_t>(word)] += static_cast<double>(tokens[i]);
  }
  return words;
}

std::vector<double> ExplainedText::outputs(std::span<const explain::Kept> copies,
                                           explain::Removal removal) const {
  if (!removes(removal)) {
    throw UsageError(
        "removal=zero: this model has no vectors of words that could be 0 (a Transformer, a "
        "rationale, documents or a token in front); take erase or mask");
  }
  const NoGradient values_only;
  std::vector<double> found;
  for (std::size_t begin = 0; begin < copies.size(); begin += at_once()) {
    const auto some = copies.subspan(begin, std::min(at_once(), copies.size() - begin));
    models::ClassifierInput input;
    if (removal == explain::Removal::zero) {
      std::vector<std::vector<double>> factors;
      for (const explain::Kept& kept : some) factors.emplace_back(kept.begin(), kept.end());
      input = scaled(factors);
    } else {
      std::vector<text::Tokens> rows;
      for (const explain::Kept& kept : some) rows.push_back(tokens_of(kept, removal));
      input = input_of(rows);
    }
    const Tensor logits = (*parts_.model)(input)[parts_.aspect].value();  // [N,C]
    for (std::size_t i = 0; i < some.size(); ++i) {
      found.push_back(static_cast<double>(logits.at({static_cast<std::int64_t>(i), parts_.label})));
    }
  }
  return found;
}

std::vector<std::vector<double>> ExplainedText::factor_gradients(
    std::span<const std::vector<double>> factors) const {
  if (!has_gradients()) return Subject::factor_gradients(factors);
  std::vector<std::vector<double>> all;
  for (std::size_t begin = 0; begin < factors.size(); begin += at_once()) {
    const models::ClassifierInput input =
        scaled(factors.subspan(begin, std::min(at_once(), factors.size() - begin)));
    backward(sum(select((*parts_.model)(input)[parts_.aspect], 1, parts_.label)));
    const Tensor gradient = input.factors.gradient().packed();
    for (std::int64_t row = 0; row < gradient.size(0); ++row) {
      all.push_back(by_word(gradient.select(0, row).values()));
    }
  }
  // Gradients that nobody asked for have reached the parameters, too.
  nn::clear_gradients(nn::parameters(*parts_.model));
  return all;
}

std::vector<double> ExplainedText::attention() const {
  return attends() ? parts_.attention : Subject::attention();
}

bool ExplainedText::has_attention_gradients() const {
  return attends() && parts_.model->looks_once();
}

std::vector<double> ExplainedText::attention_gradients() const {
  if (!has_attention_gradients()) return Subject::attention_gradients();
  insight::WeightGradients watched;
  const std::vector<text::Tokens> row = {parts_.text.tokens};
  backward(sum(
      select((*parts_.model)(input_of(row), {.watch = &watched})[parts_.aspect], 1, parts_.label)));
  nn::clear_gradients(nn::parameters(*parts_.model));
  for (const insight::WeightGradients::Entry& one : watched.entries()) {
    if (one.site.role != attention::Role::pooling ||
        one.site.aspect != static_cast<int>(parts_.aspect)) {
      continue;
    }
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
  throw InternalError("explained text: aspect {} has no pooling", parts_.aspect);
}

}  // namespace heed::pipeline
