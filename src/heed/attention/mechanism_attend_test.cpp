// SPDX-License-Identifier: Apache-2.0
// Attending where scores look back: what each remembers, and the data of each query; draws beside
// heads that do not draw; bounds that no part takes.
#include <gtest/gtest.h>

#include <string>

#include "heed/attention/given_testing.h"
#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

constexpr std::int64_t kQueries = 3, kKeys = 5;

struct Look {
  Mechanism mechanism;
  std::int64_t heads;
  Variable query = wavy({2, heads, kQueries, 4});
  Variable keys = wavy({2, heads, kKeys, 4}, 1);
  Variable values = wavy({2, heads, kKeys, 3}, 2);

  explicit Look(const std::string& text, std::int64_t count = 1)
      : mechanism(made(text, count)), heads(count) {}
  static Mechanism made(const std::string& text, std::int64_t heads) {
    Random random(3);
    return Mechanism(
        text,
        {.query_width = 4, .key_width = 4, .value_width = 3, .heads = heads, .key_heads = heads},
        random);
  }
  Attended attend(const GivenData& data = {}) const {
    return mechanism.attend(query, mechanism.memory(keys, values, data.of_keys()), {},
                            {.given = data.of_queries(), .weights = true});
  }
};

TEST(MechanismAttend, LetsEachScoreRememberForItself) {
  const Look two("alignment_rnn(size=3, hidden=2) + alignment_rnn(size=3, hidden=4)");
  const Attended found = two.attend();
  ASSERT_EQ(found.state.hidden.size(), 2u);
  EXPECT_EQ(found.state.hidden[0].shape(), (Shape{2, 1, kKeys, 2}));
  EXPECT_EQ(found.state.hidden[1].shape(), (Shape{2, 1, kKeys, 4}));
}

TEST(MechanismAttend, LetsGroupsOfHeadsRememberOrNot) {
  const Look mixed("1x(dot); 1x(alignment_rnn(size=3, hidden=2))", 2);
  const Attended found = mixed.attend();
  ASSERT_EQ(found.state.hidden.size(), 2u);
  EXPECT_FALSE(found.state.hidden[0].defined());
  EXPECT_EQ(found.state.hidden[1].shape(), (Shape{2, 1, kKeys, 2}));
  // The head that does not look back is what it is alone.
  const Mechanism dot = Look::made("dot", 1);
  const auto head = [](const Variable& x) { return slice(x, 1, 0, 1); };
  const Attended alone =
      dot.attend(head(mixed.query), dot.memory(head(mixed.keys), head(mixed.values)));
  expect_near(found.context.value().slice(1, 0, 1), alone.context.value(), 1e-6);
}

TEST(MechanismAttend, LeavesPaddingWithoutAPast) {
  Look look("alignment_rnn(size=3, hidden=2) | padding");
  for (nn::Parameter& parameter : nn::parameters(look.mechanism)) {  // a bias moves any state
    Tensor& value = parameter.variable.mutable_value();
    value.assign(value + Tensor::full(value.shape(), Real(0.1)));
  }
  const Attended found = look.attend({.lengths = Ids::of({2}, {kKeys, 2})});
  const Tensor hidden = found.state.hidden.at(0).value();
  EXPECT_NE(hidden.at({0, 0, 2, 0}), 0);
  EXPECT_NE(hidden.at({1, 0, 1, 0}), 0);
  EXPECT_EQ(hidden.at({1, 0, 2, 0}), 0) << "a key that comes there later begins anew";
}

TEST(MechanismAttend, GoesOnFromAStateAsIfItHadNotStopped) {
  const Look look("alignment_rnn(size=3, hidden=2) + location_aware(width=3, channels=2, size=3)");
  const Memory memory = look.mechanism.memory(look.keys, look.values);
  const Tensor whole = look.attend().context.value();
  const Attended first = look.mechanism.attend(slice(look.query, 2, 0, 2), memory);
  const Attended last = look.mechanism.attend(slice(look.query, 2, 2, 3), memory, first.state);
  expect_near(last.context.value(), whole.slice(2, 2, 3), 1e-6);
}

TEST(MechanismAttend, RefusesTheStateOfAnotherMechanism) {
  const Attended found = Look("alignment_rnn(size=3)").attend();
  const Look other("coverage(size=3) + dot");
  const Memory memory = other.mechanism.memory(other.keys, other.values);
  EXPECT_EQ(message_of([&] { other.mechanism.attend(other.query, memory, found.state); }),
            "attend: a state of 1 parts; \"coverage(size=3) + dot\" has 2");
}

// With v = 0 a score that looks back gives 0 everywhere: the weights then show the pattern alone,
// which must not depend on queries coming one at a time.
void expect_the_pattern_of_dot(const std::string& pattern, const GivenData& data) {
  SCOPED_TRACE(pattern);
  Look back("coverage(size=3) | " + pattern);
  Look at_once("dot | " + pattern);
  nn::ParameterVisitor clear([](const std::string& path, Variable& parameter) {
    if (path == "score.v") parameter = Variable(Tensor::zeros(parameter.shape()));
  });
  back.mechanism.visit(clear);
  at_once.query = Variable(Tensor::zeros(at_once.query.shape()));
  expect_near(back.attend(data).weights.value(), at_once.attend(data).weights.value(), 1e-6);
}

TEST(MechanismAttend, GivesEachQueryItsOwnDataWhereScoresLookBack) {
  Tensor mask = wavy({2, 1, kQueries, kKeys}, 5);
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    mask.mutable_data()[i] = mask.data()[i] > 0 ? Real{1} : Real{0};
  }
  expect_the_pattern_of_dot("tensor", {.mask = mask});
  expect_the_pattern_of_dot("segments",
                            {.query_segments = Ids::of({2, kQueries}, {0, 1, 1, 2, 0, 0}),
                             .key_segments = Ids::of({2, kKeys}, {0, 0, 1, 1, 1, 2, 2, 0, 0, 0})});
  expect_the_pattern_of_dot("causal(align=end)", {});
  expect_the_pattern_of_dot("causal & window(left=1)", {});
}

TEST(MechanismAttend, AddsEachQueryItsOwnNumbersWhereScoresLookBack) {
  Look back("coverage(size=3) + tensor");
  const GivenData data{.bias = wavy({2, 1, kQueries, kKeys}, 5)};
  const Attended biased = back.attend(data);
  const Attended plain = Look("coverage(size=3)").attend();
  // Only the first query has no past that differs.
  expect_near(biased.scores.value().slice(2, 0, 1),
              plain.scores.value().slice(2, 0, 1) + data.bias.slice(2, 0, 1), 1e-6);
}

TEST(MechanismAttend, ShowsEachGroupOfHeadsThePastOfItsOwn) {
  const Look look("1x(coverage(size=3)); 1x(coverage(size=4))", 2);
  // The weights when the second key was looked at so often by each head.
  const auto weights = [&](Real first, Real second) {
    Tensor past = Tensor::zeros({2, 2, kKeys});
    for (std::int64_t b = 0; b < 2; ++b) {
      past.mutable_data()[2 * b * kKeys + 1] = first;
      past.mutable_data()[(2 * b + 1) * kKeys + 1] = second;
    }
    const AttentionState state{.step = 1, .previous = past, .coverage = past, .hidden = {}};
    return look.mechanism
        .attend(slice(look.query, 2, 0, 1), look.mechanism.memory(look.keys, look.values), state,
                {.weights = true})
        .weights.value();
  };
  const Tensor once = weights(1, 1), first = weights(5, 1), second = weights(1, 5);
  for (const int head : {0, 1}) {
    const auto of_head = [head](const Tensor& x) { return x.select(1, head).values(); };
    EXPECT_EQ(of_head(first) == of_head(once), head == 1);
    EXPECT_EQ(of_head(second) == of_head(once), head == 0);
  }
}

TEST(MechanismAttend, GivesEachGroupOfHeadsItsPartOfAMask) {
  const Look look("1x(dot | tensor); 1x(dot | tensor)", 2);
  Tensor mask = Tensor::full({2, 2, kQueries, kKeys}, 1);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t q = 0; q < kQueries; ++q) {
      for (std::int64_t head = 0; head < 2; ++head) {  // head 0 may not see key 0, nor 1 key 1
        mask.mutable_data()[((2 * b + head) * kQueries + q) * kKeys + head] = 0;
      }
    }
  }
  const Tensor weights = look.attend({.mask = mask}).weights.value();
  for (std::int64_t head = 0; head < 2; ++head) {
    for (std::int64_t k = 0; k < kKeys; ++k) {
      EXPECT_EQ(weights.at({1, head, 2, k}) == 0, k == head) << "head " << head << ", key " << k;
    }
  }
}

TEST(MechanismAttend, GivesHeadsThatDoNotDrawAProbabilityOfOne) {
  const Attended found = Look("1x(dot); 1x(dot | full | sample)", 2).attend();
  ASSERT_EQ(found.log_probability.shape(), (Shape{2, 2, kQueries}));
  for (const Real x : found.log_probability.value().select(1, 0).values()) EXPECT_EQ(x, 0);
  for (const Real x : found.log_probability.value().select(1, 1).values()) EXPECT_LT(x, 0);
  for (const Real x : found.entropy.value().select(1, 1).values()) EXPECT_GT(x, 0);
  EXPECT_FALSE(Look("dot").attend().log_probability.defined());
}

TEST(MechanismAttend, BindsTheHeadsThatTakeBounds) {
  const Look look("1x(dot); 1x(dot | full | constrained_sparsemax)", 2);
  const GivenData data{.bounds = Tensor::full({2, 2, kQueries, kKeys}, Real(0.25))};
  const Tensor weights = look.attend(data).weights.value();
  for (const Real w : weights.select(1, 1).values()) EXPECT_LE(w, Real(0.25));
  bool free = false;
  for (const Real w : weights.select(1, 0).values()) free = free || w > Real(0.25);
  EXPECT_TRUE(free) << "softmax takes no bounds";
}

TEST(MechanismAttend, RefusesDataThatCannotBeMeant) {
  const GivenData bounds{.bounds = Tensor::full({2, 1, kQueries, kKeys}, Real(0.1))};
  EXPECT_EQ(message_of([&] { Look("dot").attend(bounds); }),
            "attend: bounds given, but \"dot\" has no part that reads it; choose a normaliser that "
            "takes it");
  EXPECT_NE(message_of([&] {
              Look("dot | full | constrained_softmax").attend(bounds);
            }).find("constrained_softmax: the bounds of row 0 add up to 0.5"),
            std::string::npos);
  EXPECT_EQ(message_of([] {
              Look("dot | full | constrained_softmax").attend({.bounds = Tensor::full({2, 3}, 1)});
            }),
            "attend: bounds [2,3]; it takes [2,1,3,5]");
  EXPECT_EQ(message_of([] {
              Look("dot | tensor").attend({.mask = Tensor::full({3, 5}, 1)});
            }),
            "attend: a mask [3,5]; it takes [2 or 1,1 or 1,3,5]");
  EXPECT_EQ(message_of([] {
              Look("dot").attend({.lengths = Ids::of({3}, {1, 2, 3})});
            }),
            "memory: lengths [3]; it takes one per sequence, [2]");
}

}  // namespace
}  // namespace heed::attention
