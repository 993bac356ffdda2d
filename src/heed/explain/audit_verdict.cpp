// SPDX-License-Identifier: Apache-2.0
// Limits between the grades, and sentences.
#include "heed/explain/audit_verdict.h"

#include <fmt/format.h>

#include <numbers>

namespace heed::explain {
namespace {

struct Limits {
  double high, low;
};

// `high` and above, between, or below `low`.
AuditGrade graded(double value, const Limits& limits, AuditGrade above) {
  const AuditGrade below =
      above == AuditGrade::speaks_for ? AuditGrade::speaks_against : AuditGrade::speaks_for;
  return value >= limits.high ? above : value >= limits.low ? AuditGrade::in_part : below;
}

std::string worded(AuditGrade grade, const char* speaks_for, const char* in_part,
                   const char* speaks_against) {
  return grade == AuditGrade::speaks_for ? speaks_for
         : grade == AuditGrade::in_part  ? in_part
                                         : speaks_against;
}

AuditSentence needed(const AttentionAudit& audit) {
  const AuditGrade grade = graded(audit.uniform_keeps, {.9, .6}, AuditGrade::speaks_against);
  return {"Is it needed?",
          fmt::format("With equal weights {:.0f}% of the answers stay", 100 * audit.uniform_keeps),
          worded(grade, "yes", "in part", "hardly"), grade, "uniform"};
}

AuditSentence manipulable(const AttentionAudit& audit, double epsilon) {
  const double share = audit.adversary.mean / std::numbers::ln2;
  const AuditGrade grade = graded(share, {.7, .3}, AuditGrade::speaks_against);
  return {"Is it hard to manipulate?",
          fmt::format("Other weights with the same probability within {} are {:.0f}% of the "
                      "farthest there are away, on average, and the text's own weights on other "
                      "words {:.0f}%",
                      epsilon, 100 * share, 100 * audit.dealt.mean / std::numbers::ln2),
          worded(grade, "yes", "somewhat", "no"), grade, "adversary"};
}

AuditSentence agreeing(const AuditAgreement& one) {
  const AuditGrade grade = graded(one.tau.mean, {.6, .3}, AuditGrade::speaks_for);
  return {fmt::format("Does it agree with {}?", one.with),
          fmt::format("Kendall's tau is {:.2f} ± {:.2f} on average, and significant in {:.0f}% of "
                      "the texts",
                      one.tau.mean, one.tau.interval(), 100 * one.significant),
          worded(grade, "yes", "somewhat", "no"), grade, "agreement"};
}

AuditSentence deciding(const AttentionAudit& audit) {
  const double by_attention = audit.erasures[0].removed.mean,
               at_random = audit.erasures[1].removed.mean,
               by_gradient = audit.erasures[2].removed.mean;
  const AuditGrade grade = by_attention > at_random - .05      ? AuditGrade::speaks_against
                           : by_attention <= by_gradient + .05 ? AuditGrade::speaks_for
                                                               : AuditGrade::in_part;
  return {
      "Does it find what decides?",
      fmt::format("Erased by attention, {:.0f}% of the words go before the answer changes; by "
                  "gradient {:.0f}%, at random {:.0f}%",
                  100 * by_attention, 100 * by_gradient, 100 * at_random),
      worded(grade, "yes", "better than chance, worse than the gradient", "no better than chance"),
      grade, "erasure"};
}

AuditSentence complete(const AttentionAudit& audit) {
  const double mine = audit.removals.front().mean_comprehensiveness.mean,
               chance = audit.removals.back().mean_comprehensiveness.mean;
  double best = mine;
  for (const AuditRemoval& one : audit.removals) {
    best = std::max(best, one.mean_comprehensiveness.mean);
  }
  const double gained = best > chance ? (mine - chance) / (best - chance) : 0;
  const AuditGrade grade = graded(gained, {.8, .3}, AuditGrade::speaks_for);
  return {"Does the model read the words it points at?",
          fmt::format("Without them the probability of the answer falls by {:.3f}, without random "
                      "words by {:.3f}, and by {:.3f} where the best explanation here points",
                      mine, chance, best),
          worded(grade, "yes", "in part", "no"), grade, "removal"};
}

AuditSentence plausible(const AttentionAudit& audit) {
  const double found = audit.plausibilities.front().precision.mean;
  const double above = audit.evident < 1 ? (found - audit.evident) / (1 - audit.evident) : 0;
  const AuditGrade grade = graded(above, {.6, .2}, AuditGrade::speaks_for);
  return {"Is it plausible?",
          fmt::format("Its average precision on the words that decide is {:.2f}; {:.2f} of the "
                      "words do",
                      found, audit.evident),
          worded(grade, "yes", "somewhat", "no"), grade, "plausibility"};
}

}  // namespace

std::vector<AuditSentence> audit_verdict(const AttentionAudit& audit, double epsilon) {
  std::vector<AuditSentence> sentences = {needed(audit)};
  if (audit.adversary.texts > 0) sentences.push_back(manipulable(audit, epsilon));
  for (std::size_t i = 0; i + 1 < audit.agreements.size(); ++i) {
    if (audit.agreements[i].tau.texts > 0) sentences.push_back(agreeing(audit.agreements[i]));
  }
  if (audit.erasures[0].removed.texts > 0) sentences.push_back(deciding(audit));
  if (!audit.removals.empty()) sentences.push_back(complete(audit));
  if (!audit.plausibilities.empty()) sentences.push_back(plausible(audit));
  return sentences;
}

}  // namespace heed::explain
