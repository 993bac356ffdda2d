// SPDX-License-Identifier: Apache-2.0
// Tests of whole mechanisms: the composition, masks, growing memories, heads of different kinds.
#include "heed/attention/mechanism.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/attention/trace_testing.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

Mechanism mechanism(const char* text, std::int64_t heads = 1, std::int64_t key_heads = 1) {
  Random random(3);
  return Mechanism(
      text,
      {.query_width = 4, .key_width = 4, .value_width = 5, .heads = heads, .key_heads = key_heads},
      random);
}

TEST(Mechanism, IsSoftmaxOfScaledProductsTimesValues) {
  const Mechanism look = mechanism("scaled_dot");
  const Variable q(wavy({2, 1, 3, 4}));
  const Variable k(wavy({2, 1, 6, 4}, 1));
  const Variable v(wavy({2, 1, 6, 5}, 2));
  const Attended found =
      look.attend(q, look.memory(k, v), {}, {.weights = true, .log_sum_exp = true});
  const Variable scores = matmul(q, transpose(k)) * Real(0.5);
  expect_near(found.scores.value(), scores.value(), 1e-6);
  expect_near(found.weights.value(), softmax(scores).value(), 1e-6);
  expect_near(found.context.value(), matmul(softmax(scores), v).value(), 1e-6);
  const Tensor lse = log(sum(exp(scores), 3)).value();
  expect_near(found.log_sum_exp, lse, 1e-5);
}

TEST(Mechanism, DividesByTheRootOfTheKeyWidth) {
  // Scores 112 and 96 over 64 features give 14 and 12, and the weights .88 and .12.
  Random random(1);
  const Mechanism look("scaled_dot", {.query_width = 64, .key_width = 64, .value_width = 1},
                       random);
  Tensor keys = Tensor::zeros({1, 1, 2, 64});
  keys.mutable_data()[0] = 112;
  keys.mutable_data()[64] = 96;
  Tensor query = Tensor::zeros({1, 1, 1, 64});
  query.mutable_data()[0] = 1;
  const Attended found =
      look.attend(query, look.memory(keys, Tensor::zeros({1, 1, 2, 1})), {}, {.weights = true});
  EXPECT_EQ(found.scores.value().values(), (std::vector<Real>{14, 12}));
  EXPECT_NEAR(found.weights.value().at({0, 0, 0, 0}), 0.88, 0.005);
}

TEST(Mechanism, GivesBackItsWrittenForm) {
  for (const char* text : {"scaled_dot", "dot | causal", "dot | full | sparsemax",
                           "scaled_dot | causal & window(left=2) | entmax(alpha=1.25)"}) {
    const std::string once = mechanism(text).written();
    EXPECT_EQ(mechanism(once.c_str()).written(), once) << text;
  }
}

TEST(Mechanism, GivesZerosWhereNoKeyIsAllowed) {
  for (const char* text :
       {"scaled_dot | padding", "dot | padding | sparsemax", "dot | padding | sigmoid"}) {
    const Mechanism look = mechanism(text);
    const Variable q = Variable::leaf(wavy({2, 1, 3, 4}));
    const Memory memory =
        look.memory(Variable(wavy({2, 1, 6, 4}, 1)), Variable(wavy({2, 1, 6, 5}, 2)),
                    {.lengths = Ids::of({2}, {0, 4})});
    const Attended found = look.attend(q, memory, {}, {.weights = true, .log_sum_exp = true});
    for (const Real x : found.context.value().select(0, 0).values()) EXPECT_EQ(x, 0) << text;
    for (const Real x : found.weights.value().select(0, 0).values()) EXPECT_EQ(x, 0) << text;
    EXPECT_EQ(found.log_sum_exp.at({0, 0, 0}), -std::numeric_limits<Real>::infinity());
    backward(sum(square(found.context)));
    for (const Real x : q.gradient().select(0, 0).values()) EXPECT_EQ(x, 0) << text;
  }
}

// The last of four keys and its value are not numbers.
struct Poisoned {
  Tensor clean_keys = wavy({1, 1, 4, 4}, 1);
  Tensor clean_values = wavy({1, 1, 4, 5}, 2);
  Tensor keys = clean_keys.clone();
  Tensor values = clean_values.clone();
  Poisoned() {
    keys.slice(2, 3, 4).assign(Tensor::full({1, 1, 1, 4}, kNan));
    values.slice(2, 3, 4).assign(Tensor::full({1, 1, 1, 5}, kNan));
  }
};

TEST(Mechanism, ShowsANanOnlyToTheQueriesThatMaySeeIt) {
  for (const char* text :
       {"scaled_dot | causal", "dot | causal | sparsemax", "additive | causal"}) {
    const Mechanism look = mechanism(text);
    const Poisoned data;
    const Variable q(wavy({1, 1, 4, 4}));
    const Tensor clean =
        look.attend(q, look.memory(Variable(data.clean_keys), Variable(data.clean_values)))
            .context.value();
    const Tensor found =
        look.attend(q, look.memory(Variable(data.keys), Variable(data.values))).context.value();
    expect_near(found.slice(2, 0, 3), clean.slice(2, 0, 3), 1e-6);
    EXPECT_TRUE(std::isnan(found.at({0, 0, 3, 0}))) << text;
  }
}

TEST(Mechanism, LetsNoNanOutOfAPaddedKeyIntoAnyGradient) {
  for (const char* text :
       {"scaled_dot | padding", "dot | padding | sparsemax", "additive | padding",
        "bilinear | padding", "cosine | padding | entmax(alpha=1.5)", "distance | padding"}) {
    SCOPED_TRACE(text);
    const Mechanism look = mechanism(text);
    const Poisoned data;
    const auto gradients = [&](const Tensor& keys, const Tensor& values) {
      const Variable q = Variable::leaf(wavy({1, 1, 4, 4}));
      const Variable k = Variable::leaf(keys);
      const Variable v = Variable::leaf(values);
      backward(
          sum(square(look.attend(q, look.memory(k, v, {.lengths = Ids::of({1}, {3})})).context)));
      return std::vector<Tensor>{q.gradient(), k.gradient(), v.gradient()};
    };
    const std::vector<Tensor> clean = gradients(data.clean_keys, data.clean_values);
    const std::vector<Tensor> found = gradients(data.keys, data.values);
    expect_near(found[0], clean[0], 1e-6);
    expect_near(found[1].slice(2, 0, 3), clean[1].slice(2, 0, 3), 1e-6);
    expect_near(found[2].slice(2, 0, 3), clean[2].slice(2, 0, 3), 1e-6);
  }
}

TEST(Mechanism, AnswersACachedStepLikeTheRowOfTheWholeComputation) {
  for (const char* text : {"scaled_dot | causal", "additive | causal & window(left=2) | sparsemax",
                           "bilinear | causal | entmax(alpha=1.5)"}) {
    const Mechanism look = mechanism(text);
    const Tensor q = wavy({2, 1, 5, 4});
    const Tensor k = wavy({2, 1, 5, 4}, 1);
    const Tensor v = wavy({2, 1, 5, 5}, 2);
    const Attended whole = look.attend(Variable(q), look.memory(Variable(k), Variable(v)));
    Memory memory = look.memory(Variable(k.slice(2, 0, 1)), Variable(v.slice(2, 0, 1)));
    AttentionState state;
    for (std::int64_t step = 0; step < 5; ++step) {
      if (step > 0) {
        memory = look.grown(memory, Variable(k.slice(2, step, step + 1)),
                            Variable(v.slice(2, step, step + 1)));
      }
      const Attended found = look.attend(Variable(q.slice(2, step, step + 1)), memory, state);
      expect_near(found.context.value(), whole.context.value().slice(2, step, step + 1), 1e-5);
      state = found.state;
    }
  }
}

TEST(Mechanism, SharesKeyHeadsBetweenGroupsOfQueryHeads) {
  const Mechanism grouped = mechanism("scaled_dot", 4, 2);
  const Mechanism plain = mechanism("scaled_dot", 4, 4);
  const Tensor q = wavy({1, 4, 3, 4});
  const Tensor k = wavy({1, 2, 6, 4}, 1);
  const Tensor v = wavy({1, 2, 6, 5}, 2);
  const auto repeated = [](const Tensor& x) {
    const std::vector<Tensor> heads{x.slice(1, 0, 1), x.slice(1, 0, 1), x.slice(1, 1, 2),
                                    x.slice(1, 1, 2)};
    return concat(heads, 1);
  };
  expect_near(grouped.attend(Variable(q), grouped.memory(Variable(k), Variable(v))).context.value(),
              plain.attend(Variable(q), plain.memory(Variable(repeated(k)), Variable(repeated(v))))
                  .context.value(),
              1e-6);
}

TEST(Mechanism, GivesEachGroupOfHeadsItsOwnKind) {
  const Mechanism mixed = mechanism("1x(scaled_dot | causal); 2x(dot | full | sparsemax)", 3, 3);
  const Tensor q = wavy({1, 3, 3, 4});
  const Tensor k = wavy({1, 3, 3, 4}, 1);
  const Tensor v = wavy({1, 3, 3, 5}, 2);
  const Tensor all =
      mixed.attend(Variable(q), mixed.memory(Variable(k), Variable(v))).context.value();
  const Mechanism first = mechanism("scaled_dot | causal");
  const Mechanism second = mechanism("dot | full | sparsemax");
  const auto alone = [&](const Mechanism& look, std::int64_t head) {
    return look
        .attend(
            Variable(q.slice(1, head, head + 1)),
            look.memory(Variable(k.slice(1, head, head + 1)), Variable(v.slice(1, head, head + 1))))
        .context.value();
  };
  expect_near(all.slice(1, 0, 1), alone(first, 0), 1e-6);
  expect_near(all.slice(1, 2, 3), alone(second, 2), 1e-6);
}

TEST(Mechanism, AddsScoresUp) {
  const Mechanism both = mechanism("dot + scaled_dot");
  const Mechanism dot = mechanism("dot");
  const Variable q(wavy({1, 1, 2, 4}));
  const Variable k(wavy({1, 1, 3, 4}, 1));
  const Variable v(wavy({1, 1, 3, 5}, 2));
  const AttendOptions all{.weights = true};
  expect_near(both.attend(q, both.memory(k, v), {}, all).scores.value(),
              (dot.attend(q, dot.memory(k, v), {}, all).scores * Real(1.5)).value(), 1e-6);
}

TEST(Mechanism, LeavesItsWeightsInATrace) {
  const Mechanism look = mechanism("scaled_dot");
  Trace trace;
  const Memory memory =
      look.memory(Variable(wavy({1, 1, 3, 4}, 1)), Variable(wavy({1, 1, 3, 5}, 2)));
  const Attended found =
      look.attend(Variable(wavy({1, 1, 2, 4})), memory, {},
                  {.weights = true, .watch = &trace, .site = {.set = "cross", .layer = 2}});
  ASSERT_EQ(trace.entries().size(), 1u);
  EXPECT_EQ(trace.entries()[0].site.set, "cross");
  expect_near(trace.entries()[0].weights, found.weights.value(), 0);
}

TEST(Mechanism, TellsMaskedKeysFromExactZerosInATrace) {
  const Mechanism look = mechanism("scaled_dot | causal | sparsemax");
  Tensor keys = Tensor::zeros({1, 1, 3, 4});
  keys.mutable_data()[0] = 8;  // key 0 wins, so that sparsemax gives the others nothing
  const Memory memory = look.memory(Variable(keys), Variable(wavy({1, 1, 3, 5}, 2)));
  Trace trace;
  const Attended found = look.attend(Variable(Tensor::full({1, 1, 3, 4}, 1)), memory, {},
                                     {.weights = true, .watch = &trace});
  const Tensor& seen = trace.entries()[0].weights;
  for (int q = 0; q < 3; ++q) {
    EXPECT_EQ(seen.at({0, 0, q, 0}), 1);
    for (int k = 1; k < 3; ++k) {
      EXPECT_EQ(is_masked(seen.at({0, 0, q, k})), k > q) << q << " " << k;
      EXPECT_EQ(share_of(seen.at({0, 0, q, k})), 0);
      EXPECT_EQ(found.weights.value().at({0, 0, q, k}), 0);  // the weights themselves have no marks
    }
  }
}

TEST(Mechanism, TracesGroupsOfHeadsAndStepsSideBySide) {
  // The second head looks back at its weights, so that queries go one by one.
  const Mechanism look = mechanism("1x(scaled_dot | window(left=1)); 1x(coverage | causal)", 2, 2);
  const Memory memory =
      look.memory(Variable(wavy({2, 2, 4, 4}, 1)), Variable(wavy({2, 2, 4, 5}, 2)));
  Trace trace;
  look.attend(Variable(wavy({2, 2, 4, 4})), memory, {}, {.watch = &trace});
  const Tensor& seen = trace.entries()[0].weights;
  ASSERT_EQ(seen.shape(), Shape({2, 2, 4, 4}));
  testing::expect_distributions(seen.slice(1, 0, 1),
                                [](auto q, auto k) { return k >= q - 1 && k <= q + 1; });
  testing::expect_distributions(seen.slice(1, 1, 2), [](auto q, auto k) { return k <= q; });
}

TEST(Mechanism, SaysWhatDoesNotFit) {
  EXPECT_NE(message_of([] { mechanism("scaled_dott"); }).find("scaled_dot"), std::string::npos);
  EXPECT_THROW(mechanism("scaled_dot", 4, 3), UsageError);
  EXPECT_THROW(mechanism("1x(dot)", 2, 2), UsageError);
  const Mechanism look = mechanism("scaled_dot");
  EXPECT_THROW(look.memory(Variable(wavy({1, 1, 3, 5})), Variable(wavy({1, 1, 3, 5}))), UsageError);
  const Memory memory = look.memory(Variable(wavy({1, 1, 3, 4})), Variable(wavy({1, 1, 3, 5})));
  EXPECT_THROW(look.attend(Variable(wavy({1, 1, 3, 5})), memory), UsageError);
}

}  // namespace
}  // namespace heed::attention
