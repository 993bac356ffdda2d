// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "heed/base/error.h"
#include "heed/decoding/search.h"
#include "heed/decoding/testing.h"

namespace heed::decoding {
namespace {

using testing::KnownLanguageStepper;
using testing::Language;
using testing::markov;

constexpr int kSamples = 20000;

std::vector<Real> logs_of(std::vector<double> probabilities) {
  std::vector<Real> logs;
  for (const double p : probabilities) logs.push_back(static_cast<Real>(std::log(p)));
  return logs;
}

// Probabilities of tokens 0 to 9; padding and begin have none.
const std::vector<double>& probabilities() {
  static const std::vector<double> all = {0, .05, 0, .10, .30, .02, .18, .25, .03, .07};
  return all;
}

// How often each token comes first.
std::map<text::Token, int> counts(SamplingOptions options) {
  options.samples = kSamples;
  options.constraints.most = {.per_source = 0, .constant = 1};
  KnownLanguageStepper stepper(testing::always(logs_of(probabilities())), 1);
  Random random(17);
  std::map<text::Token, int> counted;
  const auto found = sample(stepper, options, random);
  for (const Hypothesis& one : found[0]) {
    ++counted[one.finished ? text::kEnd : one.tokens[0]];
  }
  return counted;
}

// The chi-square statistic of counts against weights that need not add up to 1.
double chi_square(std::map<text::Token, int>& counted, const std::vector<double>& weights) {
  double whole = 0;
  for (const double w : weights) whole += w;
  double sum = 0;
  for (std::size_t token = 0; token < weights.size(); ++token) {
    const double expected = kSamples * weights[token] / whole;
    const double difference = counted[static_cast<text::Token>(token)] - expected;
    if (expected == 0) {
      EXPECT_EQ(difference, 0) << "token " << token;
    } else {
      sum += difference * difference / expected;
    }
  }
  return sum;
}

TEST(Sampling, DrawsTokensAsOftenAsTheirProbability) {
  auto counted = counts({});
  EXPECT_LT(chi_square(counted, probabilities()), 24.3);  // 7 degrees of freedom: p = .001
}

TEST(Sampling, DrawsOtherNumbersForEachSentence) {
  KnownLanguageStepper stepper(testing::always(logs_of(probabilities())), 20);
  Random random(3);
  std::map<text::Tokens, int> counted;
  for (const auto& one : sample(stepper, {.constraints = {.most = {.constant = 6}}}, random)) {
    ++counted[one.front().tokens];
  }
  EXPECT_GT(counted.size(), 10u);
}

TEST(Sampling, FollowsTheTemperature) {
  for (const double temperature : {.5, 2.0}) {
    std::vector<double> weights;
    for (const double p : probabilities()) weights.push_back(std::pow(p, 1 / temperature));
    auto counted = counts({.temperature = temperature});
    EXPECT_LT(chi_square(counted, weights), 24.3) << "temperature " << temperature;
  }
}

TEST(Sampling, StaysWithinTheTopK) {
  auto counted = counts({.top_k = 3});
  EXPECT_LT(chi_square(counted, {0, 0, 0, 0, .30, 0, .18, .25, 0, 0}), 13.8);  // 2 degrees
}

TEST(Sampling, StaysWithinTheNucleus) {
  // .30 + .25 = .55 < .7 <= .30 + .25 + .18
  auto counted = counts({.nucleus = .7});
  EXPECT_LT(chi_square(counted, {0, 0, 0, 0, .30, 0, .18, .25, 0, 0}), 13.8);
  auto one = counts({.nucleus = .01});
  EXPECT_EQ(one[4], kSamples);
  // Of the top 3 (.73 in all) the nucleus of .7 are .30 and .25: .55 / .73 = .753.
  auto both = counts({.top_k = 3, .nucleus = .7});
  EXPECT_LT(chi_square(both, {0, 0, 0, 0, .30, 0, 0, .25, 0, 0}), 10.8);  // 1 degree
}

TEST(Sampling, FindsANucleusOfManyTokens) {
  // 1000 equal tokens: the nucleus of a half are the 500 lowest that may be written.
  KnownLanguageStepper stepper(testing::always(std::vector<Real>(1000, std::log(Real(.001)))), 1);
  Random random(3);
  const auto found =
      sample(stepper,
             {.samples = 3000,
              .nucleus = .5,
              .constraints = {.most = {.per_source = 0, .constant = 1}, .forbidden = {}}},
             random)[0];
  text::Token largest = 0;
  for (const Hypothesis& one : found) {
    if (!one.finished) largest = std::max(largest, one.tokens[0]);
  }
  EXPECT_LE(largest, 500);
  EXPECT_GE(largest, 480);
}

TEST(Sampling, GivesTheModelsOwnLogProbabilities) {
  const Language language = markov(20, 6);
  KnownLanguageStepper stepper(language, 2);
  Random random(8);
  const auto found = sample(stepper, {.samples = 4, .temperature = 1.7, .top_k = 9}, random);
  for (int sentence = 0; sentence < 2; ++sentence) {
    for (const Hypothesis& one : found[static_cast<std::size_t>(sentence)]) {
      text::Tokens history = {text::kBegin};
      double sum = 0;
      text::Tokens written = one.tokens;
      if (one.finished) written.push_back(text::kEnd);
      for (const text::Token token : written) {
        sum += language(sentence, history)[static_cast<std::size_t>(token)];
        history.push_back(token);
      }
      EXPECT_NEAR(one.log_probability, sum, 1e-9);
    }
  }
}

TEST(Sampling, GivesASentenceTheSameSamplesAloneAndBesideOthers) {
  const Language language = markov(25, 4);
  std::vector<Random> randoms;
  for (std::uint64_t i = 0; i < 5; ++i) randoms.emplace_back(99, i);
  KnownLanguageStepper all(language, 5);
  const SamplingOptions options{.samples = 3, .nucleus = .9};
  const auto batched = sample(all, options, randoms);
  for (int sentence = 0; sentence < 5; ++sentence) {
    KnownLanguageStepper one = KnownLanguageStepper::alone(language, sentence);
    std::vector<Random> own = {Random(99, static_cast<std::uint64_t>(sentence))};
    const auto alone = sample(one, options, own)[0];
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(alone[i].tokens, batched[static_cast<std::size_t>(sentence)][i].tokens);
    }
  }
}

TEST(Sampling, RepeatsItselfFromTheSameSeedOnly) {
  const Language language = markov(25, 4);
  const auto draw = [&](std::uint64_t seed) {
    KnownLanguageStepper stepper(language, 1);
    Random random(seed);
    std::vector<text::Tokens> tokens;
    const auto found = sample(stepper, {.samples = 5}, random);
    for (const Hypothesis& one : found[0]) {
      tokens.push_back(one.tokens);
    }
    return tokens;
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(Sampling, RefusesNaNAndEndsWhereNoTokenIsPossible) {
  std::vector<Real> p(6, -std::numeric_limits<Real>::infinity());
  Random random(1);
  KnownLanguageStepper nothing(testing::always(p), 1);
  EXPECT_FALSE(sample(nothing, {}, random)[0][0].finished);
  p[5] = std::numeric_limits<Real>::quiet_NaN();
  KnownLanguageStepper broken(testing::always(p), 1);
  EXPECT_THROW(sample(broken, {}, random), DataError);
}

TEST(Sampling, RefusesOptionsOutOfRange) {
  KnownLanguageStepper stepper(markov(8, 1), 1);
  Random random(1);
  EXPECT_THROW(sample(stepper, {.samples = 0}, random), UsageError);
  EXPECT_THROW(sample(stepper, {.temperature = 0}, random), UsageError);
  EXPECT_THROW(sample(stepper, {.top_k = -1}, random), UsageError);
  EXPECT_THROW(sample(stepper, {.nucleus = 0}, random), UsageError);
  std::vector<Random> none;
  EXPECT_THROW(sample(stepper, {}, none), UsageError);
}

}  // namespace
}  // namespace heed::decoding
