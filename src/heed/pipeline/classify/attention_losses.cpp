// SPDX-License-Identifier: Apache-2.0
// The losses, by ordinary operations on what observers were shown.
#include "heed/pipeline/classify/attention_losses.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/base/text.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/text/lines.h"
#include "heed/text/masking.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr Real kLeastLeft = Real(1e-6);  // of the weight on permissible words
constexpr Real kLeastSquare = Real(1e-12);

// 1 for the words of texts, without their ends: [B,S].
Tensor word_mask(const Ids& lengths, std::int64_t width) {
  Tensor mask = Tensor::zeros({lengths.size(), width});
  for (std::int64_t b = 0; b < lengths.size(); ++b) {
    const std::int64_t words = std::max(lengths.at({b}) - 1, 1);
    std::fill_n(mask.mutable_data() + b * width, words, Real{1});
  }
  return mask;
}

// [B,1]
Tensor word_counts(const Ids& lengths) {
  Tensor counts({lengths.size(), 1});
  for (std::int64_t b = 0; b < lengths.size(); ++b) {
    counts.mutable_data()[b] = static_cast<Real>(std::max(lengths.at({b}) - 1, 1));
  }
  return counts;
}

// KL(from || to), rows of [B,S] -> [B]; what is 0 in `from` adds nothing.
Variable divergence(const Variable& from, const Variable& to) {
  return sum(from * (log(from + kLeastSquare) - log(to + kLeastSquare)), 1);
}

double jensen_shannon(const Tensor& a, const Tensor& b, std::int64_t row) {
  double sum = 0;
  for (std::int64_t s = 0; s < a.size(1); ++s) {
    const auto p = static_cast<double>(a.at({row, s})), q = static_cast<double>(b.at({row, s}));
    if (p > 0) sum += p / 2 * std::log(2 * p / (p + q));
    if (q > 0) sum += q / 2 * std::log(2 * q / (p + q));
  }
  return sum;
}

const std::vector<std::string>& adversary_direction_names() {
  static const std::vector<std::string> names = {"from_base", "to_base"};
  return names;
}

bool same_pieces(const text::Tokeniser& a, const text::Tokeniser& b) {
  if (a.size() != b.size()) return false;
  for (text::Token token = 0; token < a.size(); ++token) {
    if (a.piece(token) != b.piece(token)) return false;
  }
  return true;
}

bool same_labels(const text::Labels& a, const text::Labels& b) {
  if (a.aspects().size() != b.aspects().size()) return false;
  for (std::size_t i = 0; i < a.aspects().size(); ++i) {
    if (a.aspects()[i].classes != b.aspects()[i].classes) return false;
  }
  return true;
}

// A text of a batch, its end left out.
text::Tokens words_only(const models::Sequences& text, std::int64_t row) {
  text::Tokens tokens;
  for (std::int32_t t = 0; t + 1 < text.lengths.at({row}); ++t) {
    tokens.push_back(text.ids.at({row, t}));
  }
  return tokens;
}

}  // namespace

void AttentionLossOptions::declare(Options& options) {
  options.section("What attention and states are trained for besides");
  options
      .add("impermissible", impermissible,
           "words that attention shall look away from, one a line or several")
      .kind("FILE");
  options.add("impermissible-pattern", impermissible_pattern,
              "the same by a regular expression for whole words, such as \"he|she|his|her\"");
  options
      .add("deceive", deceive,
           "weight of the loss -log(1 - weight on impermissible words): learns to answer by them "
           "and "
           "not to show it (Pruthi 2020)")
      .at_least(0);
  options
      .add("diversity", diversity,
           "weight of the conicity of a text's states, so that they differ (Mohankumar 2020)")
      .at_least(0);
  options
      .add("tie", tie,
           "weight of the squared distance of states from the vectors of their words (Tutek & "
           "Snajder 2020); states must be as wide as words")
      .at_least(0);
  options
      .add("masked-words", masked_words,
           "weight of guessing hidden words from the states, which must be as wide as words")
      .at_least(0);
  options
      .add(
          "adversary-of", adversary_of,
          "learn to answer as this model does with weights far from its own, instead of the labels "
          "(Wiegreffe & Pinter 2019); give its vocabulary, too: --vocabulary FOLDER/tokeniser")
      .kind("FOLDER");
  options.add("adversary", adversary, "weight of the divergence of the two models' weights")
      .at_least(0);
  options.add("adversary-direction", direction, adversary_direction_names(),
              "KL(base || adversary) or KL(adversary || base)");
}

bool AttentionLossOptions::any() const {
  return deceive > 0 || diversity > 0 || tie > 0 || masked_words > 0 || !adversary_of.empty() ||
         !impermissible.empty() || !impermissible_pattern.empty();
}

void AttentionLossOptions::check(bool attends) const {
  const bool names_words = !impermissible.empty() || !impermissible_pattern.empty();
  if (deceive > 0 && !names_words) {
    throw UsageError(
        "--deceive: say which words attention shall look away from: --impermissible FILE or "
        "--impermissible-pattern");
  }
  if (!attends && (names_words || !adversary_of.empty())) {
    throw UsageError(
        "--{}: it is about the weights of one attention over whole texts, and this model has none; "
        "leave out --documents, --rationale, --second and --hops, and name an --attention",
        names_words ? "impermissible" : "adversary-of");
  }
  if (!adversary_of.empty() && deceive > 0) {
    throw UsageError("--adversary-of and --deceive: two ways to mislead; give one");
  }
}

AttentionLosses::AttentionLosses(const AttentionLossOptions& options,
                                 const text::Tokeniser& tokeniser, const text::Labels& labels,
                                 const models::Classifier& model)
    : options_(options), tokeniser_(tokeniser), model_(model) {
  if (!options.impermissible.empty()) {
    for (const std::string& line : text::read_lines(options.impermissible)) {
      for (const std::string_view word : text::words_of(line)) words_.emplace(word);
    }
    if (words_.empty()) {
      throw DataError("{}: there is no word in it; write one a line", options.impermissible);
    }
  }
  if (!options.impermissible_pattern.empty()) {
    try {
      pattern_.emplace(options.impermissible_pattern);
    } catch (const std::regex_error& error) {
      throw UsageError("--impermissible-pattern {}: it is no regular expression ({})",
                       options.impermissible_pattern, error.what());
    }
  }
  const models::TextEncoder& encoder = model.encoder();
  if ((options.tie > 0 || options.masked_words > 0) && encoder.width() != encoder.word_width()) {
    throw UsageError(
        "--{}: states of {} features and words of {}; make them equal by --hidden (of each "
        "direction) or --embedding",
        options.tie > 0 ? "tie" : "masked-words", encoder.width(), encoder.word_width());
  }
  if (options.adversary_of.empty()) return;
  base_ = std::make_unique<Classifier>(options.adversary_of);
  if (!same_pieces(base_->tokeniser(), tokeniser)) {
    throw UsageError(
        "--adversary-of {}: its vocabulary is another one; give it to this training: --vocabulary "
        "{}/{}",
        options.adversary_of, options.adversary_of, kTokeniserFile);
  }
  if (!same_labels(base_->labels(), labels)) {
    throw UsageError("--adversary-of {}: its labels are others than those of this training",
                     options.adversary_of);
  }
  if (!base_->looks_once()) {
    throw UsageError("--adversary-of {}: it has no attention of one look to be unlike",
                     options.adversary_of);
  }
}

AttentionLosses::~AttentionLosses() = default;

Variable AttentionLosses::Watch::weights(const attention::ObservedWeights& observed) {
  // [B,1,1,S]; a token in front of the text is none of it.
  const Variable& weights = observed.weights;
  looks_.push_back(reshape(weights, {weights.size(0), weights.size(3)}));
  return weights;
}

Variable AttentionLosses::Watch::states(const attention::Site& site, const Variable& states) {
  // The last layer's count.
  if (site.keys == models::kTextSite.keys) states_ = states;
  return states;
}

bool AttentionLosses::is_impermissible(const std::string& word) const {
  return words_.contains(word) || (pattern_ && std::regex_match(word, *pattern_));
}

Tensor AttentionLosses::impermissible(const models::Sequences& text) const {
  const std::int64_t width = text.ids.size(1);
  Tensor mask = Tensor::zeros({text.ids.size(0), width});
  for (std::int64_t b = 0; b < text.ids.size(0); ++b) {
    const text::Tokens tokens = words_only(text, b);
    const text::Decoding decoded = tokeniser_.decode(tokens);
    const std::vector<std::string_view> words = text::words_of(decoded.text);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const auto word = static_cast<std::size_t>(std::max(decoded.words[t], 0));
      if (word >= words.size() || !is_impermissible(std::string(words[word]))) continue;
      mask.mutable_data()[b * width + static_cast<std::int64_t>(t)] = 1;
    }
  }
  return mask;
}

AttentionLosses::Based AttentionLosses::base_of(const models::Sequences& text) const {
  const NoGradient values_only;
  Watch watch;
  Based found;
  for (const Variable& logits : base_->network()({.text = text}, {.watch = &watch})) {
    found.probabilities.push_back(softmax(logits).value());
  }
  for (const Variable& look : watch.looks()) found.looks.push_back(look.value());
  return found;
}

Variable AttentionLosses::hidden_words(const models::Sequences& text, nn::Noise noise) const {
  models::Sequences shown{text.ids.clone(), text.lengths, text.segments};
  const std::int64_t width = text.ids.size(1);
  std::vector<std::int32_t> places;
  text::Tokens wanted;
  std::vector<std::int64_t> counts;
  for (std::int64_t b = 0; b < text.ids.size(0); ++b) {
    const text::Tokens tokens = words_only(text, b);
    std::vector<std::int32_t> words(tokens.size());
    for (std::size_t t = 0; t < words.size(); ++t) words[t] = static_cast<std::int32_t>(t);
    const text::Masked masked =
        text::masked(tokens, words, tokeniser_.size(), {.mask = tokeniser_.mask()}, *noise);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      shown.ids.mutable_data()[b * width + static_cast<std::int64_t>(t)] = masked.tokens[t];
    }
    for (const std::int32_t place : masked.places) {
      places.push_back(static_cast<std::int32_t>(b * width) + place);
    }
    wanted.insert(wanted.end(), masked.wanted.begin(), masked.wanted.end());
    counts.push_back(static_cast<std::int64_t>(masked.places.size()));
  }
  const std::int64_t rows = text.ids.size(0);
  if (places.empty()) return Tensor::zeros({rows});
  const Variable states = model_.encoder()(shown, {.noise = noise}).states;
  const auto count = static_cast<std::int64_t>(places.size());
  const Variable flat = reshape(states, {rows * width, states.size(2)});
  const Variable logits =
      linear(embedding(flat, Ids::of({count}, places)), model_.encoder().words().weight, {});
  const Variable lost =
      cross_entropy(logits, Ids::of({count}, wanted), {.reduction = Reduction::none});
  std::vector<Variable> means;
  std::int64_t first = 0;
  for (const std::int64_t mine : counts) {
    means.push_back(mine == 0 ? Variable(Tensor::zeros({}))
                              : mean(slice(lost, 0, first, first + mine)));
    first += mine;
  }
  return stack(means, 0);
}

Variable conicity(const Variable& states, const Ids& lengths) {
  const std::int64_t rows = states.size(0), width = states.size(1), features = states.size(2);
  const Tensor mask = word_mask(lengths, width), counts = word_counts(lengths);
  const Variable words = states * Variable(mask.reshape({rows, width, 1}));
  const Variable middle = sum(words, 1) / Variable(counts);  // [B,D]
  const Variable product = sum(words * reshape(middle, {rows, 1, features}), 2);
  const Variable lengths_of_words = sqrt(sum(square(words), 2) + kLeastSquare);
  const Variable length = reshape(sqrt(sum(square(middle), 1) + kLeastSquare), {rows, 1});
  return sum(product / (lengths_of_words * length) * Variable(mask), 1) /
         Variable(counts.reshape({rows}));
}

Variable AttentionLosses::operator()(const Watch& watch, const models::Sequences& text,
                                     const std::vector<Variable>& logits, nn::Noise noise) const {
  Variable total(Tensor::zeros({text.ids.size(0)}));
  const auto add = [&](const Variable& loss, double weight) {
    total = total + loss * static_cast<Real>(weight);
  };
  if (options_.deceive > 0) {
    const Variable mask(impermissible(text));
    for (const Variable& look : watch.looks()) {
      add(-log(clamp(Real{1} - sum(look * mask, 1), kLeastLeft, 1)),
          options_.deceive / static_cast<double>(watch.looks().size()));
    }
  }
  if (options_.diversity > 0) add(conicity(watch.states(), text.lengths), options_.diversity);
  if (options_.tie > 0) {
    const Variable apart = watch.states() - model_.encoder().words()(text.ids);
    const std::int64_t rows = text.ids.size(0);
    add(sum(sum(square(apart), 2) * Variable(word_mask(text.lengths, text.ids.size(1))), 1) /
            Variable(word_counts(text.lengths).reshape({rows})),
        options_.tie);
  }
  if (options_.masked_words > 0 && noise != nullptr) {
    add(hidden_words(text, noise), options_.masked_words);
  }
  if (base_ != nullptr) {
    const Based base = base_of(text);
    for (std::size_t i = 0; i < logits.size(); ++i) {
      add(sum(absolute(softmax(logits[i]) - Variable(base.probabilities[i])), 1), .5);
      const Variable own = watch.looks()[i];
      const Variable other(base.looks[i]);
      add(options_.direction == AdversaryDirection::from_base ? divergence(other, own)
                                                              : divergence(own, other),
          -options_.adversary);
    }
  }
  return total;
}

void AttentionLosses::Measured::operator+=(const Measured& other) {
  impermissible += other.impermissible;
  conicity += other.conicity;
  moved += other.moved;
  diverged += other.diverged;
}

AttentionLosses::Measured AttentionLosses::measured(const Watch& watch,
                                                    const models::Sequences& text,
                                                    const std::vector<Variable>& logits) const {
  const NoGradient values_only;
  Measured found;
  if (!words_.empty() || pattern_) {
    const Variable mask(impermissible(text));
    for (const Variable& look : watch.looks()) {
      found.impermissible +=
          static_cast<double>(sum(look * mask).item()) / static_cast<double>(watch.looks().size());
    }
  }
  found.conicity = static_cast<double>(sum(conicity(watch.states(), text.lengths)).item());
  if (base_ == nullptr) return found;
  const Based base = base_of(text);
  const auto aspects = static_cast<double>(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Variable apart = absolute(softmax(logits[i]) - Variable(base.probabilities[i]));
    found.moved += static_cast<double>(sum(apart).item()) / 2 / aspects;
    for (std::int64_t b = 0; b < text.ids.size(0); ++b) {
      found.diverged += jensen_shannon(base.looks[i], watch.looks()[i].value(), b) / aspects;
    }
  }
  return found;
}

std::vector<std::string> AttentionLosses::names() const {
  std::vector<std::string> names;
  if (!words_.empty() || pattern_) names.emplace_back("impermissible");
  if (options_.diversity > 0 || options_.tie > 0) names.emplace_back("conicity");
  if (base_ != nullptr) names.insert(names.end(), {"moved", "diverged"});
  return names;
}

double AttentionLosses::value(const Measured& sums, const std::string& name, double texts) const {
  const double sum = name == "impermissible" ? sums.impermissible
                     : name == "conicity"    ? sums.conicity
                     : name == "moved"       ? sums.moved
                                             : sums.diverged;
  return sum / texts;
}

}  // namespace heed::pipeline
