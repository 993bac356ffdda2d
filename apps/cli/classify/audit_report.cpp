// SPDX-License-Identifier: Apache-2.0
// The report for terminals and for programs.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/classify/audit_page.h"

namespace heed::cli {
namespace {

using explain::AuditMean;
using nlohmann::json;

json to_json(const AuditMean& mean) {
  const bool any = mean.texts > 0;
  return {{"mean", any ? json(mean.mean) : json()},
          {"deviation", any ? json(mean.deviation) : json()},
          {"interval", any ? json(mean.interval()) : json()},
          {"texts", mean.texts},
          {"undefined", mean.undefined}};
}

json to_json(const std::vector<AuditMean>& means) {
  json all = json::array();
  for (const AuditMean& mean : means) all.push_back(to_json(mean));
  return all;
}

const char* grade_name(explain::AuditGrade grade) {
  return grade == explain::AuditGrade::speaks_for ? "for"
         : grade == explain::AuditGrade::in_part  ? "in part"
                                                  : "against";
}

std::string agreement_text(const explain::AttentionAudit& audit) {
  std::string text =
      "\nagreement of weights with magnitudes (Kendall's tau; share with p <= .05)\n";
  for (const auto& one : audit.agreements) {
    text += fmt::format("  {:32}{}; {:.2f}\n", one.with, shown(one.tau), one.significant);
    if (one.support.texts > 0) {
      text += fmt::format("  {:32}{}\n", "  words with a weight above 0", shown(one.support));
    }
  }
  if (audit.agreements.size() < 2) return text;
  text += "  by length, with the first:";
  for (std::size_t i = 0; i < audit.lengths.size(); ++i) {
    const AuditMean& mean = audit.agreements.front().by_length[i];
    text += fmt::format(" {} to {} words {}", audit.lengths[i].low, audit.lengths[i].high - 1,
                        mean.texts > 0 ? fmt::format("{:+.2f}", mean.mean) : "-");
    text += i + 1 < audit.lengths.size() ? "," : "\n";
  }
  return text;
}

std::string removal_text(const explain::AttentionAudit& audit) {
  if (audit.removals.empty()) return {};
  std::string text =
      "\nthe answer's fall when words are taken out of the text (comprehensiveness), and when they "
      "are left alone (sufficiency)\n";
  for (const auto& one : audit.removals) {
    text += fmt::format("  {:32}{:+.3f} ± {:.3f}   {:+.3f} ± {:.3f}\n", one.order,
                        one.mean_comprehensiveness.mean, one.mean_comprehensiveness.interval(),
                        one.mean_sufficiency.mean, one.mean_sufficiency.interval());
  }
  return text;
}

std::string plausibility_text(const explain::AttentionAudit& audit) {
  if (audit.plausibilities.empty()) return {};
  std::string text = fmt::format(
      "\naverage precision on the words that decide, which {:.3f} of the words are; of all texts' "
      "words in one order; F1; share of texts that overlap by half\n",
      audit.evident);
  for (const auto& one : audit.plausibilities) {
    text += fmt::format("  {:32}{}; {:.3f}; {:.3f}; {:.2f}\n", one.order, shown(one.precision),
                        one.pooled, one.f1.mean, one.overlap);
  }
  return text;
}

}  // namespace

std::string shown(const AuditMean& mean) {
  if (mean.texts == 0) return fmt::format("undefined ({} texts)", mean.undefined);
  const std::string left =
      mean.undefined > 0 ? fmt::format(", {} undefined", mean.undefined) : std::string();
  return fmt::format("{:+.3f} ± {:.3f} ({} texts{})", mean.mean, mean.deviation, mean.texts, left);
}

std::string audit_text(const AuditReport& report) {
  const explain::AttentionAudit& audit = report.audit;
  std::string text = report.how() + "\n\n";
  for (const explain::AuditSentence& one : report.verdict()) {
    text += fmt::format("{} {}: {}.\n", one.question, one.text, one.answer);
  }
  text += agreement_text(audit);
  text += "\nshuffled weights: the median move of the probabilities, by the largest weight\n";
  for (const auto& one : audit.permutations) {
    text += fmt::format("  {:.2f} to {:.2f}                    {}\n", one.low, one.high,
                        shown(one.change));
  }
  text += fmt::format(
      "\nfarthest weights with the same answer within {}: {} of at most 0.693\n"
      "the text's own weights dealt otherwise, likewise: {} or more\n",
      report.epsilon, shown(audit.adversary), shown(audit.dealt));
  text += fmt::format("\nequal weights keep {:.3f} of the answers\n", audit.uniform_keeps);
  text += fmt::format(
      "\none word erased changes the answer: the top one alone {}, a random one alone {}, either "
      "{}, neither {}\n",
      audit.only_top, audit.only_random, audit.both, audit.neither);
  text += "\nwords erased before the answer changes, as a share of the text\n";
  for (const auto& one : audit.erasures) {
    text += fmt::format("  {:32}{}; never {:.2f}\n", one.order, shown(one.removed), one.never);
  }
  text += removal_text(audit) + plausibility_text(audit);
  text += fmt::format("\nconicity of the states: {}\n", shown(report.conicity));
  for (const pipeline::BesideModel& one : report.beside) {
    text += fmt::format(
        "beside {}: divergence of weights {}, total variation {}, same answers {:.3f}\n", one.name,
        shown(one.weights), shown(one.probabilities), one.same);
  }
  return text;
}

std::string audit_json(const AuditReport& report) {
  const explain::AttentionAudit& audit = report.audit;
  json object = {{"texts", audit.texts},
                 {"passed_over", report.passed_over},
                 {"texts_given", report.texts_given},
                 {"sampled", report.sampled()},
                 {"adversary", to_json(audit.adversary)},
                 {"dealt", to_json(audit.dealt)},
                 {"uniform_keeps", audit.uniform_keeps},
                 {"conicity", to_json(report.conicity)},
                 {"erase_one",
                  {{"both", audit.both},
                   {"only_top", audit.only_top},
                   {"only_random", audit.only_random},
                   {"neither", audit.neither}}}};
  for (const explain::AuditSentence& one : report.verdict()) {
    object["verdict"].push_back({{"question", one.question},
                                 {"answer", one.answer},
                                 {"grade", grade_name(one.grade)},
                                 {"text", one.text}});
  }
  for (const auto& one : audit.agreements) {
    object["agreement"].push_back({{"with", one.with},
                                   {"tau", to_json(one.tau)},
                                   {"significant", one.significant},
                                   {"support", to_json(one.support)},
                                   {"by_class", to_json(one.by_class)},
                                   {"by_length", to_json(one.by_length)}});
  }
  for (const auto& one : audit.lengths) {
    object["lengths"].push_back({{"low", one.low}, {"high", one.high}, {"texts", one.texts}});
  }
  for (const auto& one : audit.permutations) {
    object["permutation"].push_back(
        {{"low", one.low}, {"high", one.high}, {"change", to_json(one.change)}});
  }
  for (const auto& one : audit.erasures) {
    object["erasure"].push_back(
        {{"order", one.order}, {"removed", to_json(one.removed)}, {"never", one.never}});
  }
  for (const auto& one : audit.removals) {
    object["removal"].push_back({{"order", one.order},
                                 {"comprehensiveness", one.comprehensiveness},
                                 {"sufficiency", one.sufficiency},
                                 {"mean_comprehensiveness", to_json(one.mean_comprehensiveness)},
                                 {"mean_sufficiency", to_json(one.mean_sufficiency)}});
  }
  for (const auto& one : audit.plausibilities) {
    object["plausibility"].push_back({{"order", one.order},
                                      {"precision", to_json(one.precision)},
                                      {"pooled", one.pooled},
                                      {"f1", to_json(one.f1)},
                                      {"overlap", one.overlap},
                                      {"by_chance", audit.evident}});
  }
  for (const pipeline::BesideModel& one : report.beside) {
    object["beside"].push_back({{"model", one.name},
                                {"weights", to_json(one.weights)},
                                {"probabilities", to_json(one.probabilities)},
                                {"same", one.same}});
  }
  return object.dump();
}

}  // namespace heed::cli
