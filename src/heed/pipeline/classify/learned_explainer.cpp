// SPDX-License-Identifier: Apache-2.0
// An attention whose weights are read as a bag of words. With h_s the states of a text and y the
// answer, or that none is told:
//
//   p = sparsemax(v tanh(W h_s + U e_y)),  scores of the classes = sum over s of p_s m(word s)
//
// where m(word) is what the layperson makes of it. In use the words of the largest p are named.
#include "heed/pipeline/classify/learned_explainer.h"

#include <algorithm>
#include <numeric>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/text/batch.h"
#include "heed/training/optimiser.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kWordFeatures = 32, kUnits = 32;

}  // namespace

LearnedExplainer::LearnedExplainer(std::span<const Words> texts,
                                   std::span<const std::int32_t> answers, std::int64_t count,
                                   const LearnedExplainerOptions& options) {
  if (texts.size() != answers.size() || texts.empty()) {
    throw UsageError("learned explainer: {} texts with {} answers; it learns from pairs",
                     texts.size(), answers.size());
  }
  if (!(options.told >= 0 && options.told <= 1)) {
    throw UsageError("--told {}: it takes a share, from 0 to 1", options.told);
  }
  for (const Words& text : texts) {
    for (const std::string& word : text) {
      ids_.emplace(word, text::kFirstPiece + static_cast<std::int32_t>(ids_.size()));
    }
  }
  tells_ = options.told > 0;
  Random random(options.seed);
  const std::int64_t vocabulary = text::kFirstPiece + static_cast<std::int64_t>(ids_.size());
  encoder_ = models::TextEncoder(
      {.vocabulary = vocabulary, .embedding = kWordFeatures, .hidden = kUnits}, random);
  answers_ = nn::Embedding(count + 1, encoder_.width(), random);
  meanings_ = nn::Embedding(vocabulary, count, random);
  attention_ = std::make_unique<models::AttentionPooling>(
      models::AttentionPoolingOptions{.mechanism = "additive | full | sparsemax",
                                      .query_width = encoder_.width(),
                                      .width = count,
                                      .word_width = encoder_.width()},
      random);

  training::Optimiser optimiser(nn::parameters(*this), training::Adam{});
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = static_cast<std::size_t>(options.batch);
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    std::ranges::shuffle(order, random);
    for (std::size_t at = 0; at < order.size(); at += size) {
      std::vector<Words> some;
      std::vector<std::int32_t> told, right;
      for (std::size_t i = at; i < std::min(at + size, order.size()); ++i) {
        some.push_back(texts[order[i]]);
        right.push_back(answers[order[i]]);
        told.push_back(random.uniform<double>() < options.told ? right.back() + 1 : 0);
      }
      const auto rows = static_cast<std::int64_t>(right.size());
      backward(
          cross_entropy((*this)(batch_of(some, told), {.noise = &random}), Ids::of({rows}, right)));
      optimiser.step({.learning_rate = options.learning_rate, .clip_norm = 5});
      if (options.done) options.done(some.size());
    }
  }
}

void LearnedExplainer::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  visitor("answers", answers_);
  visitor("meanings", meanings_);
  visitor("attention", attention_);
}

LearnedExplainer::Batch LearnedExplainer::batch_of(std::span<const Words> texts,
                                                   std::span<const std::int32_t> told) const {
  std::vector<text::Tokens> rows;
  for (const Words& text : texts) {
    text::Tokens& row = rows.emplace_back();
    for (const std::string& word : text) {
      const auto known = ids_.find(word);
      row.push_back(known == ids_.end() ? text::kUnknown : known->second);
    }
    row.push_back(text::kEnd);
  }
  return {models::sequences(text::pad_rows(rows)),
          Ids::of({static_cast<std::int64_t>(told.size())},
                  std::vector<std::int32_t>(told.begin(), told.end()))};
}

Variable LearnedExplainer::operator()(const Batch& batch, const models::Call& call) const {
  const models::EncodedText read = encoder_(batch.text, {.noise = call.noise});
  // Keys are the states, values what the words say to the layperson; an end says nothing.
  models::EncodedText message{
      .states = meanings_(batch.text.ids), .words = read.states, .lengths = batch.text.lengths};
  Ids words({message.lengths.size()});
  std::ranges::transform(message.lengths.span(), words.mutable_data(),
                         [](std::int32_t length) { return std::max(length - 1, 1); });
  message.lengths = words;
  const Variable query = answers_(batch.told);
  const Variable found =
      (*attention_)(reshape(query, {query.size(0), 1, query.size(1)}), message, {}, call);
  return reshape(found, {found.size(0), found.size(2)});
}

std::vector<std::vector<double>> LearnedExplainer::weigh(
    std::span<const Words> texts, std::span<const std::int32_t> answers) const {
  const NoGradient values_only;
  std::vector<std::vector<double>> all;
  for (std::size_t at = 0; at < texts.size(); at += 64) {
    const std::size_t size = std::min<std::size_t>(64, texts.size() - at);
    std::vector<std::int32_t> told;
    for (const std::int32_t answer : answers.subspan(at, size)) {
      told.push_back(tells_ ? answer + 1 : 0);
    }
    attention::Trace trace;
    (*this)(batch_of(texts.subspan(at, size), told), {.watch = &trace});
    const Tensor& weights = trace.entries().at(0).weights;  // [B,1,1,S]
    for (std::size_t b = 0; b < size; ++b) {
      std::vector<double>& mine = all.emplace_back(texts[at + b].size());
      for (std::size_t s = 0; s < mine.size(); ++s) {
        mine[s] = attention::share_of(
            weights.at({static_cast<std::int64_t>(b), 0, 0, static_cast<std::int64_t>(s)}));
      }
    }
  }
  return all;
}

}  // namespace heed::pipeline
