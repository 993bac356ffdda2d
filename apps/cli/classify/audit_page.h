// SPDX-License-Identifier: Apache-2.0
// A report of an audit: as text, as JSON, and as one page that needs nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/explain/attention_audit.h"
#include "heed/explain/audit_verdict.h"
#include "heed/pipeline/classify/audited_texts.h"

namespace heed::cli {

// A text that is drawn: its words with their weights and what the first explainer says.
struct AuditExample {
  std::string heading{};  // "the order agrees least: tau -0.52"
  std::string answer{};   // "mood = glad, 0.93"
  std::vector<std::string> words{};
  std::vector<double> weights{};
  std::vector<double> other{};
};

struct AuditReport {
  std::string model{}, data{}, aspect{};
  std::vector<std::string> classes{};
  std::string conventions{};  // of a paper, or empty
  std::size_t texts_given = 0, texts_read = 0, passed_over = 0;
  double epsilon = .01;
  std::uint64_t seed = 1;
  explain::AttentionAudit audit{};
  explain::AuditMean conicity{};
  std::vector<pipeline::BesideModel> beside{};
  std::vector<AuditExample> examples{};

  std::vector<explain::AuditSentence> verdict() const {
    return explain::audit_verdict(audit, epsilon);
  }
  bool sampled() const { return texts_read < texts_given; }
  // What a reader must know of how the numbers came about.
  std::string how() const;
};

// "+0.512 ± 0.120 (40 texts, 2 undefined)": the deviation over texts.
std::string shown(const explain::AuditMean& mean);

std::string audit_text(const AuditReport& report);
std::string audit_json(const AuditReport& report);
std::string audit_page(const AuditReport& report);

}  // namespace heed::cli
