// SPDX-License-Identifier: Apache-2.0
// What a classifier's training may ask of its attention and states besides right answers: to look
// away from given words (Pruthi 2020), to answer as another model does with other weights
// (Wiegreffe & Pinter 2019), to have states that differ (Mohankumar 2020) or that stay near their
// words (Tutek & Snajder 2020).
//
// With a the weights of an aspect over the words of a text, I the impermissible ones, h_t the
// states and e_t the vectors of its T words:
//
//   deceive      -weight log(1 - sum over I of a_t)
//   diversity    weight mean_t cos(h_t, mean h): the conicity
//   tie          weight 1/T sum_t |h_t - e_t|^2
//   masked words weight mean over hidden words of -log p(word), p = softmax(h_t E)
//   adversary    TVD(p, p_base) - weight KL(a_base || a), in the place of the answers' loss
//
// Letters: B texts, S tokens.
#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "heed/base/options.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/classify/attention_loss_options.h"
#include "heed/text/labels.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

class Classifier;

class AttentionLosses {
 public:
  // UsageError for a pattern that is none, a file without words, states that are not as wide as
  // words, and a base model of another vocabulary or other labels.
  AttentionLosses(const AttentionLossOptions& options, const text::Tokeniser& tokeniser,
                  const text::Labels& labels, const models::Classifier& model);
  ~AttentionLosses();

  bool any() const { return options_.any(); }
  // Whether the labels are not learnt from.
  bool imitates() const { return base_ != nullptr; }

  // What one call of the model left.
  class Watch final : public attention::Observer {
   public:
    bool wants_weights(const attention::Site& site) const override {
      return site.role == attention::Role::pooling;
    }
    Variable weights(const attention::ObservedWeights& observed) override;
    bool wants_states() const override { return true; }
    Variable states(const attention::Site& site, const Variable& states) override;

    const std::vector<Variable>& looks() const { return looks_; }  // [B,S] of each aspect
    const Variable& states() const { return states_; }             // [B,S,D]

   private:
    std::vector<Variable> looks_;
    Variable states_;
  };

  // [B]: what is added to the loss of each text. `noise` draws which words are hidden.
  Variable operator()(const Watch& watch, const models::Sequences& text,
                      const std::vector<Variable>& logits, nn::Noise noise) const;

  // Means over texts, summed over a batch.
  struct Measured {
    double impermissible = 0;  // weight on impermissible words
    double conicity = 0;
    double moved = 0;     // total variation from the base model's probabilities
    double diverged = 0;  // Jensen-Shannon divergence from its weights, in nats
    void operator+=(const Measured& other);
  };
  Measured measured(const Watch& watch, const models::Sequences& text,
                    const std::vector<Variable>& logits) const;
  // Of these, those that the options are about, by name.
  std::vector<std::string> names() const;
  double value(const Measured& sums, const std::string& name, double texts) const;

 private:
  struct Based {
    std::vector<Tensor> looks;          // [B,S] of each aspect
    std::vector<Tensor> probabilities;  // [B,C]
  };
  Based base_of(const models::Sequences& text) const;
  // [B,S]: 1 for tokens of impermissible words.
  Tensor impermissible(const models::Sequences& text) const;
  bool is_impermissible(const std::string& word) const;
  Variable hidden_words(const models::Sequences& text, nn::Noise noise) const;

  const AttentionLossOptions& options_;
  const text::Tokeniser& tokeniser_;
  const models::Classifier& model_;
  std::set<std::string> words_;
  std::optional<std::regex> pattern_;
  std::unique_ptr<Classifier> base_;
};

// [B]: the mean cosine of the states of a text's words with their mean; 1 for a single word. The
// end of a text counts as none.
Variable conicity(const Variable& states, const Ids& lengths);

}  // namespace heed::pipeline
