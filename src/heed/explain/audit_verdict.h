// SPDX-License-Identifier: Apache-2.0
// What an audit of attention comes to: a graded answer to each question, computed from its numbers.
#pragma once

#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/explain/attention_audit.h"

namespace heed::explain {

enum class AuditGrade { speaks_for, in_part, speaks_against };  // showing the weights

struct AuditSentence {
  std::string question{};  // "Is it needed?"
  std::string text{};      // with the numbers that it rests on
  std::string answer{};    // "hardly"
  AuditGrade grade = AuditGrade::in_part;
  std::string section{};  // where the numbers are: "uniform"
};

// In the order in which a reader would ask; what was not measured is left out.
HEED_EXPORTED std::vector<AuditSentence> audit_verdict(const AttentionAudit& audit, double epsilon);

}  // namespace heed::explain
