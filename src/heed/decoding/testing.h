// SPDX-License-Identifier: Apache-2.0
// For tests of searches: a stepper whose log-probabilities are a function of what was written, and
// all outputs that it allows.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "heed/base/random.h"
#include "heed/decoding/search.h"

namespace heed::decoding::testing {

// The log-probabilities [V] after a history, begin included.
using Language = std::function<std::vector<Real>(int sentence, const text::Tokens& history)>;

inline std::vector<Real> log_normalised(std::vector<Real> logits) {
  double sum = 0;
  for (const Real x : logits) sum += std::exp(static_cast<double>(x));
  for (Real& x : logits) x -= static_cast<Real>(std::log(sum));
  return logits;
}

// Random probabilities for every token before (a Markov chain), other ones for each sentence.
inline Language markov(std::int64_t vocabulary, std::uint64_t seed, double spread = 1.5) {
  return [=](int sentence, const text::Tokens& history) {
    Random random(seed + 1000 * static_cast<std::uint64_t>(sentence),
                  static_cast<std::uint64_t>(history.back()));
    std::vector<Real> logits(static_cast<std::size_t>(vocabulary));
    for (Real& x : logits) x = static_cast<Real>(spread * random.normal());
    return log_normalised(logits);
  };
}

// The same probabilities whatever was written.
inline Language always(std::vector<Real> log_probabilities) {
  return [=](int, const text::Tokens&) { return log_probabilities; };
}

class KnownLanguageStepper final : public Stepper {
 public:
  static constexpr std::int64_t kKeys = 16;

  KnownLanguageStepper(Language language, int sentences) : language_(std::move(language)) {
    for (int i = 0; i < sentences; ++i) rows_.push_back({i, {}});
  }
  // One sentence alone, under its number in a batch.
  static KnownLanguageStepper alone(Language language, int sentence) {
    KnownLanguageStepper stepper(std::move(language), 1);
    stepper.rows_[0].sentence = sentence;
    return stepper;
  }

  std::int64_t rows() const override { return static_cast<std::int64_t>(rows_.size()); }
  // Two sites: "cross" of layer 1, whose two heads give key k the k-th token read and its negative,
  // and "decoder self" with one key per token read. So a wrong row is seen at once.
  Tensor step(const Ids& tokens, attention::Observer* watch) override {
    steps += 1;
    stepped += rows();
    std::vector<Real> all;
    Tensor cross = Tensor::zeros({rows(), 2, 1, kKeys});
    const auto read = static_cast<std::int64_t>(rows_[0].history.size()) + 1;
    Tensor self = Tensor::zeros({rows(), 1, 1, read});
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      text::Tokens& history = rows_[row].history;
      history.push_back(tokens.span()[row]);
      const std::vector<Real> next = language_(rows_[row].sentence, history);
      all.insert(all.end(), next.begin(), next.end());
      for (std::int64_t k = 0; k < read; ++k) {
        const auto token = static_cast<Real>(history[static_cast<std::size_t>(k)]);
        const auto first = static_cast<std::int64_t>(row) * 2 * kKeys;
        if (k < kKeys) {
          cross.mutable_data()[first + k] = token;
          cross.mutable_data()[first + kKeys + k] = -token;
        }
        self.mutable_data()[static_cast<std::int64_t>(row) * read + k] = token;
      }
    }
    if (watch != nullptr) {
      watch->attended({.site = {.role = attention::Role::cross, .set = "cross", .layer = 1},
                       .first_query = read - 1,
                       .weights = cross});
      watch->attended({.site = {.role = attention::Role::self, .set = "decoder self", .layer = 1},
                       .first_query = read - 1,
                       .weights = self});
    }
    return Tensor::of({rows(), static_cast<std::int64_t>(all.size()) / rows()}, all);
  }
  void reorder(const Ids& rows) override {
    std::vector<Row> next;
    for (const std::int32_t row : rows.span())
      next.push_back(rows_.at(static_cast<std::size_t>(row)));
    rows_ = std::move(next);
  }
  Ids source_lengths() const override {
    if (sources.empty()) return {};
    Ids lengths({rows()});
    std::ranges::transform(rows_, lengths.mutable_data(), [&](const Row& row) {
      return sources[static_cast<std::size_t>(row.sentence)];
    });
    return lengths;
  }
  std::int64_t longest() const override { return longest_tokens; }

  std::int64_t steps = 0;               // taken so far
  std::int64_t stepped = 0;             // rows of these
  std::vector<std::int32_t> sources{};  // lengths, one per sentence, or none
  std::int64_t longest_tokens = 0;

 private:
  struct Row {
    int sentence;
    text::Tokens history;
  };
  Language language_;
  std::vector<Row> rows_;
};

// Every output of at most `most` tokens (the end included), scored and ranked by hand.
inline std::vector<Hypothesis> exhaustive(const Language& language, int sentence, std::int64_t most,
                                          const LengthPenalty& penalty) {
  std::vector<Hypothesis> all;
  const std::function<void(const text::Tokens&, double)> walk = [&](const text::Tokens& history,
                                                                    double sum) {
    const std::vector<Real> next = language(sentence, history);
    for (text::Token token = 0; token < static_cast<text::Token>(next.size()); ++token) {
      if (token == text::kPadding || token == text::kBegin) continue;
      const double total = sum + next[static_cast<std::size_t>(token)];
      const auto length = static_cast<std::int64_t>(history.size());
      text::Tokens longer = history;
      if (token != text::kEnd) longer.push_back(token);
      if (token == text::kEnd || length == most) {
        all.push_back({.tokens = text::Tokens(longer.begin() + 1, longer.end()),
                       .finished = token == text::kEnd,
                       .score = penalty.score(total, length),
                       .log_probability = total});
      } else {
        walk(longer, total);
      }
    }
  };
  walk({text::kBegin}, 0);
  std::ranges::stable_sort(all, [](const Hypothesis& a, const Hypothesis& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  return all;
}

}  // namespace heed::decoding::testing
