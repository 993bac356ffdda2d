// SPDX-License-Identifier: Apache-2.0
// The catalogue, and the laws that its cards promise, over every explainer there is.
#include "heed/explain/explainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/explain/testing.h"

namespace heed::explain {
namespace {

bool promises(const ExplainerCard& card, Promise promise) {
  return std::ranges::count(card.promises, promise) > 0;
}

class ExplainerLaws : public testing::TestWithParam<ExplainerCard> {};

TEST_P(ExplainerLaws, GivesOneFiniteNumberPerWord) {
  const AttendingSubject subject({.5, -1, 0, 2, .25}, .1);
  for (const double share : shares(GetParam().name, subject)) EXPECT_TRUE(std::isfinite(share));
  EXPECT_EQ(shares(GetParam().name, subject).size(), 5U);
}

TEST_P(ExplainerLaws, GivesTheSameTwice) {
  const AttendingSubject subject({.5, -1, 0, 2, .25}, .1);
  EXPECT_EQ(shares(GetParam().name, subject), shares(GetParam().name, subject));
}

TEST_P(ExplainerLaws, AddsUpToWhatTheTextAdds) {
  if (!promises(GetParam(), Promise::complete)) GTEST_SKIP() << "not on its card";
  for (const std::size_t size : {1U, 2U, 6U, 30U}) {
    std::vector<double> values;
    for (std::size_t t = 0; t < size; ++t)
      values.push_back(std::sin(1 + 3.0 * static_cast<double>(t)));
    const AttendingSubject subject(values, .2);
    const std::vector<double> found = shares(GetParam().name, subject);
    EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0),
                subject.output() - subject.output_of_nothing(Removal::zero), 1e-10)
        << size;
  }
}

TEST_P(ExplainerLaws, SeesEffectsAndNothingElse) {
  if (!promises(GetParam(), Promise::effects)) GTEST_SKIP() << "not on its card";
  for (const std::size_t size : {5U, 14U}) {
    std::vector<double> values(size, 1);
    values[3] = 0;
    const std::vector<double> found = shares(GetParam().name, AttendingSubject(values, .2, 0));
    EXPECT_NEAR(found[3], 0, 1e-12);
    const std::vector<double> shifted = shares(GetParam().name, AttendingSubject(values, .2, 7));
    for (std::size_t t = 0; t < size; ++t) EXPECT_NEAR(found[t], shifted[t], 1e-10);
  }
}

TEST_P(ExplainerLaws, IsExactForSums) {
  if (!promises(GetParam(), Promise::exact_linear)) GTEST_SKIP() << "not on its card";
  for (const std::size_t size : {2U, 7U, 20U}) {
    std::vector<double> values;
    for (std::size_t t = 0; t < size; ++t) values.push_back(std::cos(2.0 * static_cast<double>(t)));
    const std::vector<double> found = shares(GetParam().name, AttendingSubject(values));
    for (std::size_t t = 0; t < size; ++t) EXPECT_NEAR(found[t], values[t], 1e-10);
  }
}

TEST_P(ExplainerLaws, GivesNothingToWhatTheModelCannotSee) {
  if (!promises(GetParam(), Promise::unseen)) GTEST_SKIP() << "not on its card";
  for (const std::size_t size : {4U, 15U}) {
    AttendingSubject subject(std::vector<double>(size, .5), .2);
    subject.hidden = 2;
    const std::vector<double> found = shares(GetParam().name, subject);
    EXPECT_NEAR(found[2], 0, 1e-12);
    EXPECT_GT(std::abs(found[1]), 1e-6);
  }
}

// Kindermans 2017: vectors with a constant more, to a model that takes the constant off again.
TEST_P(ExplainerLaws, DoesNotSeeAShiftThatTheModelUndoes) {
  AttendingSubject subject({.5, -1, .75, 2, .25}, .1);
  const std::vector<double> before = shares(GetParam().name, subject);
  subject.shift = 3;
  const std::vector<double> after = shares(GetParam().name, subject);
  double moved = 0;
  for (std::size_t t = 0; t < before.size(); ++t) moved += std::abs(after[t] - before[t]);
  if (promises(GetParam(), Promise::unshifted)) {
    EXPECT_NEAR(moved, 0, 1e-10);
  } else if (GetParam().need == Need::gradients) {
    EXPECT_GT(moved, .1) << "gradients times what was shifted see it: the card could promise more";
  }
}

TEST_P(ExplainerLaws, GivesCopiesTogetherWhatItGivesThemOneByOne) {
  const AttendingSubject subject({.5, -1, .75, 2, .25, -.5, 1, .125, 0, 1, 1, -2, .3, .4}, .1);
  const std::vector<double> together = shares(GetParam().name, subject);
  EXPECT_EQ(shares(GetParam().name, OneByOne(subject)), together);
}

TEST_P(ExplainerLaws, RefusesASubjectThatHasNotWhatItNeeds) {
  class Bare final : public Subject {
   public:
    std::size_t size() const override { return 3; }
    std::vector<double> outputs(std::span<const Kept> copies, Removal) const override {
      return std::vector<double>(copies.size(), 1);
    }
  };
  const Bare bare;
  const auto explainer = make_explainer(GetParam().name);
  EXPECT_EQ(explainer->suits(bare), GetParam().need == Need::nothing);
  if (!explainer->suits(bare)) {
    EXPECT_THROW(explainer->explain(bare), UsageError);
  }
}

INSTANTIATE_TEST_SUITE_P(Explainers, ExplainerLaws, testing::ValuesIn(explainers()),
                         [](const auto& info) { return info.param.name; });

TEST(Explainers, AreListedByName) {
  const std::vector<ExplainerCard> all = explainers();
  EXPECT_GE(all.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &ExplainerCard::name));
  for (const ExplainerCard& card : all) {
    EXPECT_EQ(make_explainer(card.name)->card().name, card.name);
    EXPECT_FALSE(card.summary.empty() || card.formula.empty()) << card.name;
  }
}

TEST(Explainers, HaveTheirRowOnThePage) {
  std::ifstream file(HEED_SOURCE_DIR "/docs/explaining.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const ExplainerCard& card : explainers()) {
    EXPECT_NE(page.find("`" + card.name + "`"), std::string::npos) << card.name;
  }
}

TEST(Explainers, AreMadeOfTheirWrittenForm) {
  EXPECT_TRUE(
      test::message_of<UsageError>([] {
        make_explainer("shaply");
      }).starts_with("no explainer is called \"shaply\" (did you mean \"shapley\"?); there"));
  EXPECT_THROW(make_explainer("lime(samples=1)"), UsageError);
  EXPECT_THROW(make_explainer("lime(orders=1)"), UsageError);
  EXPECT_THROW(make_explainer("lime("), UsageError);
}

}  // namespace
}  // namespace heed::explain
