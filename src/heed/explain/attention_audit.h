// SPDX-License-Identifier: Apache-2.0
// Audit of attention as an explanation: how far its weights agree with other explanations, and what
// becomes of the answer when they are shuffled, made uniform, erased or replaced by an adversary's.
//
// All of it is exact and needs no model, for answers that are linear in what was read: the score of
// class c is constants[c] + sum over words of weight_t scores[c][t].
#pragma once  // public header

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

// Shares of a text's words that are taken out at a time (DeYoung 2020); a word at least.
inline constexpr std::array<double, 5> kAuditShares = {.01, .05, .1, .2, .5};

struct AuditedAttention {
  std::vector<double> weights = {};              // [T], a distribution over the words
  std::vector<std::vector<double>> scores = {};  // [C][T]
  std::vector<double> constants = {};            // [C]
  // What other explainers say of the words, [explainers][T]; an empty one is undefined.
  std::vector<std::vector<double>> others = {};
  std::vector<bool> gold = {};  // [T], the words that decide; empty: unknown
  // How far the probability of the answer falls when the words of largest share are taken out of
  // the text, and when nothing else is left: [orders][kAuditShares], the orders those of
  // AttentionAudit::removals. Empty: not asked.
  std::vector<std::vector<double>> without = {};
  std::vector<std::vector<double>> alone = {};

  // Of the classes, with weights in the place of its own.
  std::vector<double> probabilities(std::span<const double> weights) const;
};

struct AuditOptions {
  std::int64_t permutations = 100;
  double epsilon = .01;  // how far an adversary may move the probability of the answer
  std::int64_t random_orders = 5;
  std::uint64_t seed = 1;

  // --permutations, --epsilon, --random-orders, --seed.
  void declare(Options& options);
};

// A mean over texts, of those where it is defined.
struct AuditMean {
  double mean = 0;
  double deviation = 0;
  std::int64_t texts = 0;
  std::int64_t undefined = 0;

  // Half the width of the 95% interval of the mean over all texts that might have been asked; 0
  // where there is one text or none.
  double interval() const;
};

// Texts of so many words: [low, high).
struct AuditLengths {
  std::size_t low = 0, high = 0;
  std::int64_t texts = 0;
};

// Kendall's tau of the weights with the magnitudes of another explanation (Jain & Wallace 2019).
struct AuditAgreement {
  std::string with;
  AuditMean tau;
  double significant = 0;  // share of the texts with p at most .05
  AuditMean support{};     // tau over the words with a weight above 0, where some have none
  std::vector<AuditMean> by_class{};   // of the texts with each answer
  std::vector<AuditMean> by_length{};  // as AttentionAudit::lengths
};

// Texts whose largest weight is in [low, high): how far a shuffle moves the probabilities, mean
// over classes, median of the shuffles.
struct AuditPermutation {
  double low = 0, high = 1;
  AuditMean change;
};

// How many words, in an order, have to lose their weight before the answer changes (Serrano & Smith
// 2019): the share of the text, 1 where it never does.
struct AuditErasure {
  std::string order;
  AuditMean removed;
  double never = 0;  // share of the texts
};

// How far the answer's probability falls when the largest words by an order are taken out
// (comprehensiveness), and when only they are left (sufficiency): by kAuditShares, and the mean of
// these (AOPC).
struct AuditRemoval {
  std::string order;
  std::vector<double> comprehensiveness{}, sufficiency{};
  AuditMean mean_comprehensiveness{}, mean_sufficiency{};
};

// How well an order finds the words that decide: average precision, F1 of as many words as decide,
// and the share of texts where these overlap by half or more (intersection over union).
struct AuditPlausibility {
  std::string order;
  AuditMean precision{}, f1{};
  double overlap = 0;
  // Average precision of the words of all texts in one order, shares scaled to the largest of their
  // text: a random order comes to the base rate.
  double pooled = 0;
};

// What a reader may want to look at.
struct AuditOfText {
  std::size_t text = 0;  // of those given
  std::int64_t answer = 0;
  double probability = 0;
  double tau = 0;  // with the first other explanation; NaN: undefined
};

struct AttentionAudit {
  std::int64_t texts = 0;
  std::vector<AuditAgreement> agreements = {};  // a random order last, as the control
  std::vector<AuditPermutation> permutations = {};
  // The farthest weights that keep the answer's probability within epsilon, in nats, at most ln 2;
  // of answers of two classes, others are undefined.
  AuditMean adversary{};
  // The same with the text's own weights dealt to other words, so that entropy and number of words
  // stay: the farthest that swapping found, which is a lower bound.
  AuditMean dealt{};
  // Decisions that stay when every word has the same weight.
  double uniform_keeps = 0;
  // Erasing the word of most weight, or a random other one: which of them changes the decision.
  std::int64_t both = 0, only_top = 0, only_random = 0, neither = 0;
  std::vector<AuditErasure> erasures = {};
  std::vector<AuditLengths> lengths = {};              // four bins of about as many texts
  std::vector<AuditRemoval> removals = {};             // attention, the others, a random order
  std::vector<AuditPlausibility> plausibilities = {};  // likewise
  double evident = 0;                                  // share of words that decide: the base rate
  std::vector<AuditOfText> each = {};
};

// `others` names the explanations of the texts. UsageError for no texts, and for texts whose
// numbers do not fit each other. `done` is told of every text.
AttentionAudit audit_attention(std::span<const AuditedAttention> texts,
                               std::span<const std::string> others,
                               const AuditOptions& options = {},
                               const std::function<void()>& done = {});

}  // namespace heed::explain

#pragma GCC visibility pop
