// SPDX-License-Identifier: Apache-2.0
// Verdicts follow their numbers.
#include "heed/explain/audit_verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::explain {
namespace {

AttentionAudit judged(double keeps, double tau, double precision) {
  AttentionAudit audit;
  audit.texts = 10;
  audit.uniform_keeps = keeps;
  audit.agreements = {{.with = "leave_one_out", .tau = {.mean = tau, .texts = 10}},
                      {.with = "a random order", .tau = {.mean = 0, .texts = 10}}};
  audit.adversary = {.mean = .6, .texts = 10};
  for (const double removed : {.2, .8, .2}) {
    audit.erasures.push_back({"an order", {.mean = removed, .texts = 10}});
  }
  audit.plausibilities = {{.order = "attention", .precision = {.mean = precision, .texts = 10}}};
  audit.evident = .1;
  return audit;
}

const AuditSentence& about(const std::vector<AuditSentence>& all, const std::string& section) {
  return *std::ranges::find(all, section, &AuditSentence::section);
}

TEST(AuditVerdict, IsGradedByTheNumbers) {
  const auto good = audit_verdict(judged(.5, .7, .9), .01);
  EXPECT_EQ(about(good, "uniform").answer, "yes");
  EXPECT_EQ(about(good, "agreement").grade, AuditGrade::speaks_for);
  EXPECT_EQ(about(good, "plausibility").answer, "yes");
  EXPECT_EQ(about(good, "adversary").grade, AuditGrade::speaks_against) << "0.6 of 0.693";
  EXPECT_EQ(about(good, "erasure").grade, AuditGrade::speaks_for);
  EXPECT_NE(about(good, "uniform").text.find("50%"), std::string::npos);

  const auto bad = audit_verdict(judged(.95, .1, .1), .01);
  EXPECT_EQ(about(bad, "uniform").answer, "hardly");
  EXPECT_EQ(about(bad, "agreement").grade, AuditGrade::speaks_against);
  EXPECT_EQ(about(bad, "plausibility").answer, "no");
}

TEST(AuditVerdict, WhatNoOrderFindsIsNotFound) {
  AttentionAudit audit = judged(.5, .7, .9);
  for (AuditErasure& one : audit.erasures) one.removed.mean = .98;
  EXPECT_EQ(about(audit_verdict(audit, .01), "erasure").grade, AuditGrade::speaks_against);
}

TEST(AuditVerdict, LeavesOutWhatWasNotMeasured) {
  AttentionAudit audit = judged(.5, .7, .9);
  audit.adversary = {};
  audit.plausibilities.clear();
  audit.agreements[0].tau = {};
  const auto sentences = audit_verdict(audit, .01);
  EXPECT_EQ(sentences.size(), 2u);  // whether it is needed, and whether it finds what decides
}

}  // namespace
}  // namespace heed::explain
