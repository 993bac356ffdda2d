// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/entailment.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/text.h"

namespace heed::corpora {
namespace {

using Kind = Quantity::Kind;

Statement statement(Quantity quantity, std::string_view subject, std::string_view verb,
                    std::string_view object = {}) {
  return {quantity, subject, verb, object};
}

TEST(Entailment, IsWrittenAsOneSaysIt) {
  EXPECT_EQ(write_statement(statement({Kind::some}, "animal", "chasing", "girl")),
            "An animal is chasing a girl.");
  EXPECT_EQ(write_statement(statement({Kind::none}, "dog", "sleeping")), "No dog is sleeping.");
  EXPECT_EQ(write_statement(statement({Kind::fewer_than, 3}, "goose", "running")),
            "Fewer than three geese are running.");
}

TEST(Entailment, CountsAsItsQuantitiesSay) {
  const auto allowed = [](const Quantity& quantity) {
    std::string counts;
    for (int count = 0; count <= 5; ++count) {
      if (quantity.allows(count)) counts += static_cast<char>('0' + count);
    }
    return counts;
  };
  EXPECT_EQ(allowed({Kind::some}), "12345");
  EXPECT_EQ(allowed({Kind::none}), "0");
  EXPECT_EQ(allowed({Kind::exactly, 3}), "3");
  EXPECT_EQ(allowed({Kind::more_than, 3}), "45");
  EXPECT_EQ(allowed({Kind::fewer_than, 3}), "012");
}

TEST(Entailment, KnowsKindsNegationNumbersAndRoles) {
  const Statement poodle = statement({Kind::some}, "poodle", "chasing", "boy");
  const Statement dog = statement({Kind::some}, "dog", "chasing", "child");
  EXPECT_EQ(judge(poodle, dog), Judgement::entailment);
  EXPECT_EQ(judge(dog, poodle), Judgement::neutral);
  EXPECT_EQ(judge(statement({Kind::none}, "animal", "chasing", "person"), dog),
            Judgement::contradiction);
  EXPECT_EQ(judge(poodle, statement({Kind::none}, "dog", "chasing", "child")),
            Judgement::contradiction);
  EXPECT_EQ(judge(statement({Kind::none}, "dog", "chasing", "boy"),
                  statement({Kind::none}, "dog", "chasing", "child")),
            Judgement::neutral);
  EXPECT_EQ(judge(dog, statement({Kind::some}, "child", "chasing", "dog")), Judgement::neutral);
  EXPECT_EQ(judge(statement({Kind::exactly, 3}, "dog", "sleeping"),
                  statement({Kind::more_than, 2}, "animal", "sleeping")),
            Judgement::entailment);
  EXPECT_EQ(judge(statement({Kind::exactly, 3}, "dog", "sleeping"),
                  statement({Kind::exactly, 2}, "animal", "sleeping")),
            Judgement::contradiction);
  EXPECT_EQ(judge(statement({Kind::exactly, 3}, "dog", "sleeping"),
                  statement({Kind::exactly, 3}, "animal", "sleeping")),
            Judgement::neutral);
}

TEST(Entailment, CannotBeToldFromTheHypothesisAlone) {
  Random random(1);
  std::map<std::string, std::map<std::string, int>> by_opening;  // "No", "A", "Exactly", ...
  std::map<std::string, int> labels;
  constexpr int kCount = 9'000;
  for (int turn = 0; turn < kCount; ++turn) {
    const Example example = draw_entailment(random, turn);
    ++by_opening[std::string(split(example.second, ' ')[0])][example.labels[0]];
    ++labels[example.labels[0]];
  }
  for (const auto& [label, count] : labels) EXPECT_EQ(count, kCount / 3) << label;
  for (auto& [opening, counts] : by_opening) {
    const double all = counts["entailment"] + counts["contradiction"] + counts["neutral"];
    if (all < 300) continue;
    for (const auto& [label, count] : counts) {
      EXPECT_NEAR(count / all, 1. / 3, .05) << opening << ' ' << label;
    }
  }
}

}  // namespace
}  // namespace heed::corpora
