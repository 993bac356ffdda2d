// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/testing.h"
#include "heed/decoding/search.h"
#include "heed/decoding/testing.h"

namespace heed::decoding {
namespace {

using testing::KnownLanguageStepper;
using testing::Language;
using testing::markov;

TEST(Greedy, TakesTheLikeliestTokenAtEveryStep) {
  const Language language = markov(30, 2);
  KnownLanguageStepper stepper(language, 4);
  const auto found = greedy(stepper, {.constraints = {.most = {.per_source = 0, .constant = 25}}});
  for (int sentence = 0; sentence < 4; ++sentence) {
    const Hypothesis& one = found[static_cast<std::size_t>(sentence)];
    text::Tokens written = one.tokens;
    if (one.finished) written.push_back(text::kEnd);
    text::Tokens history = {text::kBegin};
    double sum = 0;
    for (const text::Token token : written) {
      std::vector<Real> next = language(sentence, history);
      next[text::kPadding] = next[text::kBegin] = -100;
      const auto best = std::ranges::max_element(next);
      EXPECT_EQ(token, best - next.begin());
      sum += *best;
      history.push_back(token);
    }
    EXPECT_NEAR(one.log_probability, sum, 1e-12);
    EXPECT_EQ(one.score, one.log_probability);
    EXPECT_TRUE(one.finished || one.tokens.size() == 25);
  }
}

TEST(Greedy, DropsSentencesThatHaveEnded) {
  const Language language = [](int sentence, const text::Tokens& history) {
    std::vector<Real> p(6, Real(-20));
    p[static_cast<int>(history.size()) == sentence + 1 ? text::kEnd : 4] = 0;
    return p;
  };
  KnownLanguageStepper stepper(language, 4);
  const auto found = greedy(stepper);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(found[i].tokens, text::Tokens(i, 4));
  EXPECT_EQ(stepper.stepped, 4 + 3 + 2 + 1);
}

TEST(Greedy, CutsAtTheLongestLengthAndSaysSo) {
  std::vector<Real> p(6, Real(-20));
  p[5] = 0;
  KnownLanguageStepper stepper(testing::always(p), 1);
  stepper.longest_tokens = 4;
  const auto found = greedy(stepper);
  EXPECT_EQ(found[0].tokens, text::Tokens(4, 5));
  EXPECT_FALSE(found[0].finished);
}

TEST(Greedy, RefusesNaNAndEndsWhereNoTokenIsPossible) {
  std::vector<Real> p(6, -std::numeric_limits<Real>::infinity());
  KnownLanguageStepper nothing(testing::always(p), 2);
  const auto found = greedy(nothing);
  EXPECT_TRUE(found[1].tokens.empty());
  EXPECT_FALSE(found[1].finished);
  p[4] = std::numeric_limits<Real>::quiet_NaN();
  KnownLanguageStepper broken(testing::always(p), 1);
  EXPECT_NE(test::message_of<DataError>([&] { greedy(broken); }).find("piece 4"),
            std::string::npos);
  p[4] = 2;
  KnownLanguageStepper impossible(testing::always(p), 1);
  EXPECT_THROW(greedy(impossible), DataError);
}

TEST(Greedy, GivesTheSameBatchedAsOneByOne) {
  const Language language = markov(50, 9);
  KnownLanguageStepper all(language, 6);
  const auto batched = greedy(all, {.constraints = {.unrepeated = 2}});
  for (int sentence = 0; sentence < 6; ++sentence) {
    KnownLanguageStepper one = KnownLanguageStepper::alone(language, sentence);
    const auto alone = greedy(one, {.constraints = {.unrepeated = 2}});
    EXPECT_EQ(alone[0].tokens, batched[static_cast<std::size_t>(sentence)].tokens);
    EXPECT_EQ(alone[0].score, batched[static_cast<std::size_t>(sentence)].score);
  }
}

}  // namespace
}  // namespace heed::decoding
