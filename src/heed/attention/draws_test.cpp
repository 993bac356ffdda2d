// SPDX-License-Identifier: Apache-2.0
// Draws: sums by sequence, padding left out, and no weights asked for.
#include "heed/attention/draws.h"

#include <gtest/gtest.h>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

struct DrawingLook {
  Random random{5};
  Mechanism look;
  Memory memory;
  Variable query = Variable::leaf(wavy({2, 2, 3, 4}));

  explicit DrawingLook(const char* text)
      : look(text, {.query_width = 4, .key_width = 4, .value_width = 3, .heads = 2, .key_heads = 2},
             random),
        memory(look.memory(wavy({2, 2, 5, 4}, 1), wavy({2, 2, 5, 3}, 2))) {}
  Attended attend(Observer* watch, std::int64_t first_query = 0) {
    Random noise(7);
    return look.attend(query, memory, {},
                       {.given = {.first_query = first_query},
                        .noise = &noise,
                        .watch = watch,
                        .site = {.set = "cross", .queries = "target", .keys = "source"}});
  }
};

TEST(Draws, AddUpHeadsAndQueriesOfEachSequence) {
  DrawingLook look("dot | full | sample");
  Draws draws;
  const Attended found = look.attend(&draws);
  ASSERT_EQ(draws.entries().size(), 1u);
  EXPECT_EQ(draws.entries()[0].site.set, "cross");
  const Tensor by_sequence = sum(sum(found.log_probability.value(), 2), 1);
  expect_near(draws.log_probability().value(), by_sequence, 1e-6);
  expect_near(draws.entropy().value(), sum(sum(found.entropy.value(), 2), 1), 1e-6);
  look.attend(&draws);
  EXPECT_EQ(draws.entries().size(), 2u);
  expect_near(draws.log_probability().value(), by_sequence * Real{2}, 1e-5);
}

TEST(Draws, HaveTheGradientOfTheScores) {
  DrawingLook look("dot | full | sample");
  Draws draws;
  look.attend(&draws);
  backward(sum(draws.log_probability()));
  const Tensor watched = look.query.gradient().clone();
  look.query.clear_gradient();
  backward(sum(look.attend(nullptr).log_probability));
  expect_near(watched, look.query.gradient(), 1e-6);
  EXPECT_GT(sum(absolute(Variable(watched))).value().item(), 0.1);
}

TEST(Draws, LeaveOutQueriesThatArePadding) {
  DrawingLook look("dot | full | sample");
  Draws draws;
  draws.count("target", Ids::of({2}, {3, 1}));
  const Tensor log_p = look.attend(&draws).log_probability.value();
  const Tensor all = sum(log_p, 1);  // [B,Q]
  EXPECT_NEAR(draws.log_probability().value().at({0}),
              all.at({0, 0}) + all.at({0, 1}) + all.at({0, 2}), 1e-5);
  EXPECT_NEAR(draws.log_probability().value().at({1}), all.at({1, 0}), 1e-5);
  Draws others;
  others.count("source", Ids::of({2}, {1, 1}));  // not the strip of the queries
  look.attend(&others);
  expect_near(others.log_probability().value(), sum(all, 1), 1e-5);
}

TEST(Draws, AreByStepWhereTheirQueriesAreSteps) {
  DrawingLook look("dot | full | sample");
  Draws draws;
  draws.count("target", Ids::of({2}, {3, 1}));
  const Tensor log_p = sum(look.attend(&draws).log_probability.value(), 1);  // [B,Q]
  Tensor expected = Tensor::zeros({2, 4});
  for (std::int64_t q = 0; q < 3; ++q) expected.mutable_data()[q] = log_p.at({0, q});
  expected.mutable_data()[4] = log_p.at({1, 0});
  expect_near(draws.log_probability({"target", 4}).value(), expected, 1e-5);
  Draws later;
  const Tensor from_one = sum(look.attend(&later, 1).log_probability.value(), 1);
  const Tensor found = later.log_probability({"target", 4}).value();
  EXPECT_EQ(found.at({1, 0}), 0);
  EXPECT_NEAR(found.at({1, 3}), from_one.at({1, 2}), 1e-5);
  const Tensor elsewhere = draws.log_probability({"other", 2}).value();
  EXPECT_NEAR(elsewhere.at({0, 0}), draws.log_probability().value().at({0}), 1e-5);
  EXPECT_EQ(elsewhere.at({0, 1}), 0) << "drawn before the first step";
  EXPECT_NE(heed::test::message_of<UsageError>([&] {
              draws.entropy({"target", 2});
            }).find("from query 0 to 2, but \"target\" has 2 steps"),
            std::string::npos);
}

TEST(Draws, AskForNoWeightsAndLeaveOtherAttentionsAlone) {
  DrawingLook look("scaled_dot");
  Draws draws;
  EXPECT_FALSE(draws.wants_weights({}));
  EXPECT_TRUE(look.attend(&draws).fused) << "as fast as if nobody watched";
  EXPECT_TRUE(draws.entries().empty());
  EXPECT_NE(heed::test::message_of<UsageError>([&] {
              draws.log_probability();
            }).find("nothing was drawn"),
            std::string::npos);
}

TEST(Draws, RefuseLengthsOfOtherSequences) {
  DrawingLook look("dot | full | sample");
  Draws draws;
  EXPECT_THROW(draws.count("target", Ids::of({1, 2}, {3, 1})), UsageError);
  draws.count("target", Ids::of({3}, {3, 1, 1}));
  look.attend(&draws);
  EXPECT_THROW(draws.log_probability(), UsageError);
}

}  // namespace
}  // namespace heed::attention
