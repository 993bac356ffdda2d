// SPDX-License-Identifier: Apache-2.0
// What a look adds to scores is linear in its weights, so that gradients by them are exact.
#include "heed/pipeline/classify/audited_texts.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/explain/explainer.h"
#include "heed/metrics/divergence.h"
#include "heed/pipeline/classify/attention_losses.h"
#include "heed/pipeline/watched.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr double kNothing = 1e-9;  // of attention to words, where a special token has it all

// The gradient of a class's score by a word's weight is what the word's state adds to it for each
// unit of weight; what special tokens add stays in the constant. Nothing where they have it all.
explain::AuditedAttention audited(const Classifier& classifier, const Input& input,
                                  std::size_t aspect) {
  explain::AuditedAttention found;
  const text::Aspect& named = classifier.labels().aspects()[aspect];
  double words = 0;
  for (const std::string& label : named.classes) {
    const Explained one = classifier.explained(input, {.aspect = named.name, .label = label});
    if (found.weights.empty()) {
      found.weights = one.subject->attention();
      words = std::accumulate(found.weights.begin(), found.weights.end(), 0.0);
      if (words < kNothing) return {};
      for (double& weight : found.weights) weight /= words;
    }
    std::vector<double>& scores = found.scores.emplace_back(one.subject->attention_gradients());
    double read = 0;
    for (std::size_t t = 0; t < scores.size(); ++t) {
      scores[t] *= words;
      read += found.weights[t] * scores[t];
    }
    found.constants.push_back(one.subject->output() - read);
  }
  return found;
}

// The texts that are left of `words` when those in front of an order go, or are all that stays.
struct CutTexts {
  std::vector<text::LabelledText> texts{};

  void add(const text::LabelledText& whole, const std::vector<std::string_view>& words,
           const std::vector<bool>& stays) {
    text::LabelledText& mine = texts.emplace_back(text::LabelledText{.second = whole.second});
    for (std::size_t t = 0; t < words.size(); ++t) {
      if (!stays[t]) continue;
      if (!mine.text.empty()) mine.text += ' ';
      mine.text += words[t];
    }
  }
};

std::vector<std::size_t> falling_order(const std::vector<double>& shares) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(),
                           [&](std::size_t t) { return std::abs(shares[t]); });
  return order;
}

// How far the probability of the answer falls without the first words of each order, and with them
// alone. Of an empty text nothing is known: all classes are as likely.
void add_removals(const Classifier& classifier, const text::LabelledText& text, std::size_t aspect,
                  Random& random, explain::AuditedAttention& into) {
  const std::vector<std::string_view> words = text::words_of(text.text);
  const std::vector<double> own = into.probabilities(into.weights);
  const auto answer = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
  std::vector<std::vector<std::size_t>> orders = {falling_order(into.weights)};
  for (const std::vector<double>& other : into.others) {
    orders.push_back(other.empty() ? orders.front() : falling_order(other));
  }
  random.shuffle(orders.emplace_back(orders.front()));
  CutTexts cut;
  for (const std::vector<std::size_t>& order : orders) {
    for (const double share : explain::kAuditShares) {
      const auto count =
          static_cast<std::size_t>(std::ceil(share * static_cast<double>(words.size())));
      std::vector<bool> stays(words.size(), true);
      for (std::size_t i = 0; i < count; ++i) stays[order[i]] = false;
      cut.add(text, words, stays);
      stays.flip();
      cut.add(text, words, stays);
    }
  }
  cut.texts.push_back(text);
  const std::vector<Classification> found = classifier.classify(cut.texts);
  const double whole = found.back().aspects[aspect].probabilities[answer];
  const double nothing = 1 / static_cast<double>(own.size());
  std::size_t next = 0;
  const auto fall = [&] {
    const bool empty = cut.texts[next].text.empty();
    const double said = found[next++].aspects[aspect].probabilities[answer];
    return whole - (empty ? nothing : said);
  };
  for (std::size_t i = 0; i < orders.size(); ++i) {
    std::vector<double>&without = into.without.emplace_back(), &alone = into.alone.emplace_back();
    for (std::size_t s = 0; s < explain::kAuditShares.size(); ++s) {
      without.push_back(fall());
      alone.push_back(fall());
    }
  }
}

explain::AuditMean mean_over(const std::vector<double>& values) {
  explain::AuditMean mean{.texts = static_cast<std::int64_t>(values.size())};
  const auto count = static_cast<double>(std::max<std::size_t>(values.size(), 1));
  mean.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  for (const double value : values) {
    mean.deviation += (value - mean.mean) * (value - mean.mean) / count;
  }
  mean.deviation = std::sqrt(mean.deviation);
  return mean;
}

std::vector<Input> inputs_with_words(std::span<const text::LabelledText> texts) {
  std::vector<Input> inputs;
  for (const text::LabelledText& one : texts) {
    if (!text::words_of(one.text).empty())
      inputs.push_back({.text = one.text, .second = one.second});
  }
  return inputs;
}

}  // namespace

AuditedTexts audited_texts(const Classifier& classifier, std::span<const text::LabelledText> texts,
                           const AuditQuestions& questions) {
  if (!classifier.looks_once()) {
    throw UsageError(
        "audit: this model's answer is not linear in one look of attention at its words (it has no "
        "attention, several hops, documents, matched words or a rationale); audit one that heed "
        "train classify made with --attention");
  }
  std::vector<std::unique_ptr<explain::Explainer>> made;
  for (const std::string& written : questions.explainers) {
    made.push_back(explain::make_explainer(written));
  }
  AuditedTexts all{.others = questions.explainers};
  Random random(questions.seed);
  const std::string& aspect = classifier.labels().aspects()[questions.aspect].name;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (questions.enough && questions.enough()) break;
    const text::LabelledText& text = texts[i];
    const Input input{.text = text.text, .second = text.second};
    explain::AuditedAttention one;
    if (!text::words_of(text.text).empty()) one = audited(classifier, input, questions.aspect);
    if (one.weights.empty()) {
      ++all.passed_over;
    } else {
      const Explained said = classifier.explained(input, {.aspect = aspect});
      for (const auto& explainer : made) {
        one.others.push_back(explainer->explain(*said.subject).shares);
      }
      if (i < questions.evidence.size()) {
        one.gold.assign(one.weights.size(), false);
        for (const int word : questions.evidence[i][questions.aspect]) {
          if (static_cast<std::size_t>(word) < one.gold.size()) {
            one.gold[static_cast<std::size_t>(word)] = true;
          }
        }
      }
      if (questions.removals) {
        add_removals(classifier, text, questions.aspect, random, one);
      }
      all.texts.push_back(std::move(one));
      const std::vector<std::string_view> words = text::words_of(text.text);
      all.words.emplace_back(words.begin(), words.end());
    }
    ++all.read;
    if (questions.done) questions.done();
  }
  return all;
}

explain::AuditMean audited_conicity(const Classifier& classifier,
                                    std::span<const text::LabelledText> texts) {
  const std::vector<Input> inputs = inputs_with_words(texts);
  if (inputs.empty()) return {};
  const NoGradient values_only;
  const std::unique_ptr<Watched> data = classifier.watched({.inputs = inputs});
  std::vector<double> values;
  for (const std::vector<std::size_t>& batch : data->batches()) {
    AttentionLosses::Watch seen;
    data->run(batch, {.watch = &seen});
    Ids lengths({static_cast<std::int64_t>(batch.size())});
    for (std::size_t b = 0; b < batch.size(); ++b) {
      lengths.mutable_data()[b] =
          static_cast<std::int32_t>(data->strips(batch[b]).front().tokens.size());
    }
    for (const Real one : conicity(seen.states(), lengths).value().values()) {
      values.push_back(static_cast<double>(one));
    }
  }
  return mean_over(values);
}

BesideModel compared_beside(const Classifier& classifier, const Classifier& other,
                            std::span<const text::LabelledText> texts, std::size_t aspect) {
  const std::vector<text::Aspect>&mine = classifier.labels().aspects(),
        &theirs = other.labels().aspects();
  if (theirs.size() <= aspect || theirs[aspect].classes != mine[aspect].classes ||
      !other.attends()) {
    throw UsageError(
        "--beside: a model of other labels, or without attention; give one of the "
        "same training with another seed");
  }
  const ClassifyCall call{.attention = true};
  const std::vector<Classification> a = classifier.classify(texts, call),
                                    b = other.classify(texts, call);
  std::vector<double> weights, probabilities;
  BesideModel found;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (a[i].words.empty()) continue;
    const Prediction &one = a[i].aspects[aspect], &two = b[i].aspects[aspect];
    probabilities.push_back(metrics::total_variation(one.probabilities, two.probabilities));
    found.same += one.label == two.label ? 1 : 0;
    const auto scaled = [](std::vector<double> shares) {
      const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
      for (double& share : shares) share /= sum;
      return shares;
    };
    const auto attended = [](const std::vector<double>& shares) {
      return std::accumulate(shares.begin(), shares.end(), 0.0) >= kNothing;
    };
    if (!attended(one.attention) || !attended(two.attention)) continue;
    weights.push_back(metrics::jensen_shannon(scaled(one.attention), scaled(two.attention)));
  }
  if (!probabilities.empty()) found.same /= static_cast<double>(probabilities.size());
  found.weights = mean_over(weights);
  found.probabilities = mean_over(probabilities);
  return found;
}

}  // namespace heed::pipeline
