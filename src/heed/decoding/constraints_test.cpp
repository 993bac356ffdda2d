// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/constraints.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/decoding/search.h"
#include "heed/decoding/testing.h"

namespace heed::decoding {
namespace {

using testing::KnownLanguageStepper;
using testing::Language;
using testing::markov;

constexpr Real kNever = -std::numeric_limits<Real>::infinity();

// Every search under the same constraints: what each sentence gets.
std::vector<std::vector<Hypothesis>> all_searches(const Language& language,
                                                  const Constraints& constraints,
                                                  const std::vector<std::int32_t>& sources = {}) {
  const auto stepper = [&] {
    KnownLanguageStepper made(language, 3);
    made.sources = sources;
    return made;
  };
  std::vector<std::vector<Hypothesis>> all;
  KnownLanguageStepper one = stepper();
  for (Hypothesis& found : greedy(one, {.constraints = constraints})) all.push_back({found});
  KnownLanguageStepper two = stepper();
  const auto beams = beam_search(two, {.width = 4, .n_best = 4, .constraints = constraints});
  KnownLanguageStepper three = stepper();
  Random random(4);
  const auto samples = sample(three, {.samples = 5, .constraints = constraints}, random);
  for (std::size_t i = 0; i < 3; ++i) {
    all[i].insert(all[i].end(), beams[i].begin(), beams[i].end());
    all[i].insert(all[i].end(), samples[i].begin(), samples[i].end());
  }
  return all;
}

TEST(Constraints, KeepsEveryLengthBetweenItsLimits) {
  const Language language = markov(12, 8);
  std::size_t longest = 0;
  for (const auto& sentence : all_searches(language, {.least = {.per_source = 0, .constant = 4},
                                                     .most = {.per_source = 0, .constant = 9}})) {
    for (const Hypothesis& one : sentence) {
      EXPECT_GE(one.token_log_probabilities.size(), 4u);
      EXPECT_LE(one.token_log_probabilities.size(), 9u);
      longest = std::max(longest, one.token_log_probabilities.size());
    }
  }
  EXPECT_EQ(longest, 9u);
}

TEST(Constraints, TakesLengthsFromTheSource) {
  const Language language = markov(12, 8);
  // least = S, most = 1.5 S + 1
  const auto found = all_searches(
      language,
      {.least = {.per_source = 1, .constant = 0}, .most = {.per_source = 1.5, .constant = 1}},
      {2, 5, 8});
  const std::vector<std::size_t> most = {4, 8, 13};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Hypothesis& one : found[i]) {
      EXPECT_GE(one.token_log_probabilities.size(), (std::vector<std::size_t>{2, 5, 8})[i]);
      EXPECT_LE(one.token_log_probabilities.size(), most[i]);
    }
  }
}

TEST(Constraints, BeginsWithThePrefixOfEachSentence) {
  const Language language = markov(12, 8);
  const std::vector<text::Tokens> prefixes = {{5, 6, 7}, {}, {11, 11}};
  const auto found = all_searches(language, {.prefixes = prefixes});
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Hypothesis& one : found[i]) {
      ASSERT_GE(one.tokens.size(), prefixes[i].size());
      EXPECT_TRUE(std::equal(prefixes[i].begin(), prefixes[i].end(), one.tokens.begin()));
    }
  }
  EXPECT_EQ(found[0][0].token_log_probabilities[0],
            static_cast<float>(language(0, {text::kBegin})[5]));
}

TEST(Constraints, NeverWritesAForbiddenToken) {
  const Language language = markov(9, 3);
  for (const auto& sentence :
       all_searches(language, {.forbidden = {text::kPadding, text::kBegin, text::kUnknown, 6}})) {
    for (const Hypothesis& one : sentence) {
      for (const text::Token token : one.tokens) {
        EXPECT_TRUE(token == 4 || token == 5 || token >= 7) << token;
      }
    }
  }
}

TEST(Constraints, WritesNoThreeTokensTwice) {
  // Left alone, the chain goes round in circles.
  const Language language = [](int sentence, const text::Tokens& history) {
    std::vector<Real> p = markov(8, 3)(sentence, history);
    p[text::kEnd] = -12;
    return p;
  };
  const auto repeats = [](const text::Tokens& tokens) {
    std::set<text::Tokens> seen;
    for (std::size_t i = 0; i + 3 <= tokens.size(); ++i) {
      if (!seen.insert({tokens.begin() + static_cast<std::ptrdiff_t>(i),
                        tokens.begin() + static_cast<std::ptrdiff_t>(i) + 3})
               .second) {
        return true;
      }
    }
    return false;
  };
  const Constraints free{.most = {.per_source = 0, .constant = 30}};
  Constraints strict = free;
  strict.unrepeated = 3;
  EXPECT_TRUE(repeats(all_searches(language, free)[0][0].tokens));
  for (const auto& sentence : all_searches(language, strict)) {
    for (const Hypothesis& one : sentence) EXPECT_FALSE(repeats(one.tokens));
  }
}

TEST(Constraints, PenalisesRepetitionInTheRankingOnly) {
  std::vector<Real> p(7, Real(-20));
  p[4] = std::log(Real(.6));
  p[5] = std::log(Real(.4));
  p[text::kEnd] = kNever;
  const Language language = testing::always(p);
  // log .6 * 2 = log .36 < log .4: every other token is another one, until both are repeats.
  const Constraints constraints{.most = {.per_source = 0, .constant = 2}, .repetition_penalty = 2};
  KnownLanguageStepper stepper(language, 1);
  const auto found = greedy(stepper, {.constraints = constraints});
  EXPECT_EQ(found[0].tokens, (text::Tokens{4, 5}));
  KnownLanguageStepper again(language, 1);
  const auto best = beam_search(again, {.width = 4,
                                        .n_best = 4,
                                        .length = LengthPenalty{.scale = LengthScale::none},
                                        .constraints = constraints})[0];
  EXPECT_EQ(best[0].tokens, (text::Tokens{4, 5}));
  for (const Hypothesis& one : best) {
    if (one.tokens != text::Tokens{4, 4}) continue;
    EXPECT_NEAR(one.log_probability, 2 * std::log(.6), 1e-6);
    EXPECT_NEAR(one.score, 3 * std::log(.6), 1e-6);
  }
}

TEST(Constraints, ChangesOnlyWhatItMust) {
  std::vector<Real> row = {-1, -2, -3, -4, -5, -6};
  const SentenceLimits limits{.least = 4, .most = 9};
  const text::Tokens history = {4, 5};
  const auto changed = constrain({.unrepeated = 1, .repetition_penalty = 3}, limits, history, row);
  EXPECT_EQ(row, (std::vector<Real>{kNever, -2, kNever, kNever, kNever, kNever}));
  EXPECT_TRUE(changed.empty());
  row = {-1, -2, -3, -4, -5, -6};
  const auto penalised = constrain({.repetition_penalty = 3}, limits, text::Tokens{4, 5, 4}, row);
  EXPECT_EQ(row, (std::vector<Real>{kNever, -2, kNever, -4, -15, -18}));
  ASSERT_EQ(penalised.size(), 2u);
  EXPECT_EQ(penalised[1].token, 5);
  EXPECT_EQ(penalised[1].before, -6);
}

TEST(Constraints, EndsAForcedBeginningThatIsImpossible) {
  std::vector<Real> p(6, Real(-1));
  p[5] = kNever;
  KnownLanguageStepper stepper(testing::always(p), 1);
  const auto found = greedy(stepper, {.constraints = {.prefixes = {{4, 5, 4}}}});
  EXPECT_EQ(found[0].tokens, (text::Tokens{4}));
  EXPECT_FALSE(found[0].finished);
}

TEST(Constraints, RefusesWhatLeavesNoRoom) {
  const auto message = [](const Constraints& constraints) {
    KnownLanguageStepper stepper(markov(9, 1), 2);
    return test::message_of<UsageError>([&] { greedy(stepper, {.constraints = constraints}); });
  };
  EXPECT_NE(
      message({.least = {.per_source = 0, .constant = 5}, .most = {.per_source = 0, .constant = 4}})
          .find("sentence 0 must have at least 5 and at most 4 tokens"),
      std::string::npos);
  EXPECT_NE(message({.most = {.per_source = 2, .constant = 0}}).find("at most 0 tokens"),
            std::string::npos);
  EXPECT_NE(message({.prefixes = {{4}}}).find("1 prefixes for 2 sentences"), std::string::npos);
  EXPECT_NE(message({.prefixes = {{4}, {9}}}).find("prefix of sentence 1 has token 9"),
            std::string::npos);
  EXPECT_NE(message({.prefixes = {{4}, {text::kEnd}}}).find("no end"), std::string::npos);
  EXPECT_NE(message({.most = {.per_source = 0, .constant = 1}, .prefixes = {{4, 4}, {}}})
                .find("must begin with 2 tokens and have at most 1"),
            std::string::npos);
  EXPECT_NE(message({.forbidden = {12}}).find("token 12 is forbidden"), std::string::npos);
  EXPECT_NE(message({.repetition_penalty = .5}).find("repetition penalty 0.5"), std::string::npos);
}

}  // namespace
}  // namespace heed::decoding
