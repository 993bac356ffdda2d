// SPDX-License-Identifier: Apache-2.0
// Audits of texts whose every answer can be worked out by hand.
#include "heed/explain/attention_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::explain {
namespace {

// Two classes; the score of class 1 is what the words add, that of class 0 is 0.
AuditedAttention text_of(std::vector<double> weights, std::vector<double> scores,
                         double constant = 0) {
  AuditedAttention text{.weights = std::move(weights), .constants = {0, constant}};
  text.scores = {std::vector<double>(scores.size(), 0), std::move(scores)};
  return text;
}

TEST(AttentionAudit, KnowsWhetherTheWeightsMatter) {
  // All words say the same: no weights can change the answer, and those of an adversary are as far
  // away as they can be.
  const std::vector<AuditedAttention> alike = {text_of({.7, .2, .1}, {2, 2, 2})};
  const AttentionAudit idle = audit_attention(alike, {});
  EXPECT_EQ(idle.uniform_keeps, 1);
  EXPECT_EQ(idle.neither, 1);
  EXPECT_NEAR(idle.permutations[2].change.mean, 0, 1e-12);
  EXPECT_EQ(idle.permutations[2].change.texts, 1) << "the largest weight is .7";
  EXPECT_GT(idle.adversary.mean, .5);
  for (const AuditErasure& one : idle.erasures) {
    EXPECT_EQ(one.never, 1) << one.order;
    EXPECT_EQ(one.removed.mean, 1) << one.order;
  }

  // One word of three decides, against the others.
  const std::vector<AuditedAttention> one_decides = {text_of({.8, .1, .1}, {4, -3, -3})};
  const AttentionAudit needed = audit_attention(one_decides, {});
  EXPECT_EQ(needed.uniform_keeps, 0);
  EXPECT_EQ(needed.only_top, 1);
  EXPECT_NEAR(needed.erasures[0].removed.mean, 1. / 3, 1e-12);
  EXPECT_GT(needed.permutations[3].change.mean, .3);
}

TEST(AttentionAudit, ComparesWithOtherExplanations) {
  AuditedAttention agrees = text_of({.5, .3, .15, .05}, {1, 1, 1, 1});
  agrees.others = {{-5, 3, 2, 1}, {1, 2, 3, 5}, {}};  // by magnitude
  const std::vector<std::string> names = {"same", "reversed", "nothing"};
  const AttentionAudit found = audit_attention(std::vector<AuditedAttention>{agrees}, names);
  ASSERT_EQ(found.agreements.size(), 4u);
  EXPECT_NEAR(found.agreements[0].tau.mean, 1, 1e-12);
  EXPECT_NEAR(found.agreements[1].tau.mean, -1, 1e-12);
  EXPECT_EQ(found.agreements[2].tau.undefined, 1);
  EXPECT_EQ(found.agreements[2].tau.texts, 0);
  EXPECT_EQ(found.agreements[3].with, "a random order");
}

TEST(AttentionAudit, CountsWhatIsUndefined) {
  AuditedAttention three{
      .weights = {.6, .4}, .scores = {{1, 0}, {0, 1}, {0, 0}}, .constants = {0, 0, 0}};
  const std::vector<AuditedAttention> texts = {three, text_of({1}, {2})};
  const AttentionAudit found = audit_attention(texts, {});
  EXPECT_EQ(found.adversary.undefined, 1) << "three classes";
  EXPECT_EQ(found.adversary.texts, 1);
  EXPECT_EQ(found.erasures[0].removed.undefined, 1) << "one word";
  EXPECT_EQ(found.agreements[0].tau.undefined, 1);
}

TEST(AttentionAudit, SlopesEraseFastest) {
  // Word 0 has most weight and speaks against the answer: by gradient it is erased last.
  const std::vector<AuditedAttention> texts = {text_of({.4, .3, .3}, {-1, 2, 2})};
  const AttentionAudit found = audit_attention(texts, {});
  EXPECT_EQ(found.erasures[0].never, 1)
      << "by attention word 0 goes first, and then one of the others";
  EXPECT_NEAR(found.erasures[2].removed.mean, 2. / 3, 1e-12) << "by gradient";
  EXPECT_NEAR(found.erasures[4].removed.mean, 2. / 3, 1e-12) << "by sign of gradient";
}

TEST(AttentionAudit, ComparesWithTheWordsThatDecide) {
  AuditedAttention text = text_of({.5, .3, .15, .05}, {1, 1, 1, 1});
  text.gold = {true, false, true, false};
  text.others = {{0, 5, 0, 5}};
  const std::vector<std::string> names = {"wrong"};
  const AttentionAudit found = audit_attention(std::vector<AuditedAttention>{text}, names);
  ASSERT_EQ(found.plausibilities.size(), 3u);
  EXPECT_EQ(found.plausibilities[0].order, "attention");
  EXPECT_NEAR(found.plausibilities[0].precision.mean, (1 + 2. / 3) / 2, 1e-12);
  EXPECT_NEAR(found.plausibilities[0].f1.mean, .5, 1e-12);
  EXPECT_EQ(found.plausibilities[0].overlap, 0) << "one of three words";
  // Both wrong words come first, at one threshold, then both right ones.
  EXPECT_NEAR(found.plausibilities[1].precision.mean, .5, 1e-12);
  EXPECT_NEAR(found.plausibilities[1].f1.mean, 0, 1e-12);
  EXPECT_NEAR(found.plausibilities[1].pooled, .5, 1e-12) << "of one text the same";
  EXPECT_NEAR(found.evident, .5, 1e-12);
}

TEST(AttentionAudit, AveragesWhatIsTakenOut) {
  AuditedAttention text = text_of({.6, .4}, {3, 1});
  text.without = {{0, .1, .2, .3, .4}, {0, 0, 0, 0, 0}};
  text.alone = {{0, 0, 0, 0, 0}, {.9, .9, .9, .9, .9}};
  const AttentionAudit found = audit_attention(std::vector<AuditedAttention>{text}, {});
  ASSERT_EQ(found.removals.size(), 2u);
  EXPECT_NEAR(found.removals[0].comprehensiveness[4], .4, 1e-12);
  EXPECT_NEAR(found.removals[0].mean_comprehensiveness.mean, .2, 1e-12);
  EXPECT_NEAR(found.removals[0].mean_sufficiency.mean, 0, 1e-12);
  EXPECT_NEAR(found.removals[1].mean_sufficiency.mean, .9, 1e-12);
  text.alone.pop_back();
  EXPECT_THROW(audit_attention(std::vector<AuditedAttention>{text}, {}), UsageError);
}

TEST(AttentionAudit, TellsClassesLengthsAndSupportApart) {
  AuditedAttention sparse = text_of({.7, .3, 0, 0}, {1, 1, 1, 1});
  sparse.others = {{1, 2, 9, 8}};
  AuditedAttention other = text_of({.2, .3, .5}, {-1, -2, -3});
  other.others = {{1, 2, 3}};
  const std::vector<std::string> names = {"one"};
  const AttentionAudit found = audit_attention(std::vector<AuditedAttention>{sparse, other}, names);
  const AuditAgreement& one = found.agreements[0];
  EXPECT_EQ(one.support.texts, 1);
  EXPECT_NEAR(one.support.mean, -1, 1e-12);
  ASSERT_EQ(one.by_class.size(), 2u);
  EXPECT_NEAR(one.by_class[0].mean, 1, 1e-12) << "the second text speaks against class 1";
  EXPECT_EQ(one.by_class[1].texts, 1);
  ASSERT_EQ(found.lengths.size(), 2u);
  EXPECT_EQ(found.lengths[0].low, 3u);
  EXPECT_NEAR(one.by_length[0].mean, 1, 1e-12);
  ASSERT_EQ(found.each.size(), 2u);
  EXPECT_NEAR(found.each[1].tau, 1, 1e-12);
  EXPECT_NEAR((AuditMean{.mean = 0, .deviation = 2, .texts = 5}).interval(), 1.96, 1e-12);
}

TEST(AttentionAudit, RefusesWhatDoesNotFit) {
  EXPECT_EQ(test::message_of<UsageError>([] { audit_attention({}, {}); }), "audit: no texts");
  std::vector<AuditedAttention> texts = {text_of({.5, .5}, {1, 2})};
  texts[0].scores[0].pop_back();
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                audit_attention(texts, {});
              }).starts_with("audit: text 1 has 2 weights, 2 classes, 2 rows of scores"));
}

}  // namespace
}  // namespace heed::explain
