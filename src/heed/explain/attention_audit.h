// SPDX-License-Identifier: Apache-2.0
// Audit of attention as an explanation: how far its weights agree with other explanations, and what
// becomes of the answer when they are shuffled, made uniform, erased or replaced by an adversary's.
//
// All of it is exact and needs no model, for answers that are linear in what was read: the score of
// class c is constants[c] + sum over words of weight_t scores[c][t].
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

struct AuditedAttention {
  std::vector<double> weights = {};              // [T], a distribution over the words
  std::vector<std::vector<double>> scores = {};  // [C][T]
  std::vector<double> constants = {};            // [C]
  // What other explainers say of the words, [explainers][T]; an empty one is undefined.
  std::vector<std::vector<double>> others = {};

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
};

// Kendall's tau of the weights with the magnitudes of another explanation (Jain & Wallace 2019).
struct AuditAgreement {
  std::string with;
  AuditMean tau;
  double significant = 0;  // share of the texts with p at most .05
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

struct AttentionAudit {
  std::int64_t texts = 0;
  std::vector<AuditAgreement> agreements = {};  // a random order last, as the control
  std::vector<AuditPermutation> permutations = {};
  // The farthest weights that keep the answer's probability within epsilon, in nats, at most ln 2;
  // of answers of two classes, others are undefined.
  AuditMean adversary;
  // Decisions that stay when every word has the same weight.
  double uniform_keeps = 0;
  // Erasing the word of most weight, or a random other one: which of them changes the decision.
  std::int64_t both = 0, only_top = 0, only_random = 0, neither = 0;
  std::vector<AuditErasure> erasures = {};
};

// `others` names the explanations of the texts. UsageError for no texts, and for texts whose
// numbers do not fit each other. `done` is told of every text.
AttentionAudit audit_attention(std::span<const AuditedAttention> texts,
                               std::span<const std::string> others,
                               const AuditOptions& options = {},
                               const std::function<void()>& done = {});

}  // namespace heed::explain

#pragma GCC visibility pop
