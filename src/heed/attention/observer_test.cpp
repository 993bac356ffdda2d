// SPDX-License-Identifier: Apache-2.0
// What observers see of a mechanism, and what happens to the weights they return.
#include "heed/attention/observer.h"

#include "heed/attention/mechanism.h"
#include "heed/attention/trace_testing.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::attention::testing::expect_same_looks;
using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

// All weight on the first key, and a note of every look.
struct FirstKey final : Observer {
  struct Seen {
    std::int64_t first_head, heads, first_query, queries;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  std::vector<bool> fused;

  Variable weights(const ObservedWeights& observed) override {
    seen.push_back({observed.first_head, observed.weights.size(1), observed.first_query,
                    observed.weights.size(2)});
    Tensor first = Tensor::zeros(observed.weights.shape());
    for (std::int64_t i = 0; i < first.size(); i += first.size(3)) first.mutable_data()[i] = 1;
    return first;
  }
  void attended(const ObservedAttention& observed) override { fused.push_back(observed.fused); }
};

struct ObserverTest : ::testing::Test {
  Random random{1};
  Variable query{wavy({2, 4, 3, 5})}, keys{wavy({2, 4, 6, 5})},
      values{wavy({2, 4, 6, 5}) * Real{2}};

  Mechanism made(const std::string& text) {
    return {text,
            {.query_width = 5, .key_width = 5, .value_width = 5, .heads = 4, .key_heads = 4},
            random};
  }
  Attended attended(const Mechanism& look, Observer* watch) {
    return look.attend(query, look.memory(keys, values), {},
                       {.watch = watch, .site = {.set = "cross", .layer = 3}});
  }
};

TEST_F(ObserverTest, TheWeightsItReturnsReadTheValues) {
  const Mechanism look = made("scaled_dot");
  FirstKey first;
  const Tensor context = attended(look, &first).context.value();
  for (std::int64_t q = 0; q < 3; ++q) {
    expect_near(context.select(2, q).packed(), values.value().select(2, 0).packed(), 0);
  }
  EXPECT_EQ(first.seen, (std::vector<FirstKey::Seen>{{0, 4, 0, 3}}));
  EXPECT_EQ(first.fused, std::vector<bool>{false});
}

TEST_F(ObserverTest, GroupsOfHeadsAreShownByTheirHeads) {
  FirstKey first;
  attended(made("1x(scaled_dot); 3x(dot | full | sparsemax)"), &first);
  EXPECT_EQ(first.seen, (std::vector<FirstKey::Seen>{{0, 1, 0, 3}, {1, 3, 0, 3}}));
}

TEST_F(ObserverTest, WhatLooksBackIsShownQueryByQueryAndRemembersTheChange) {
  const Mechanism look = made("dot + coverage");
  FirstKey first;
  const Attended found = attended(look, &first);
  ASSERT_EQ(first.seen.size(), 3u);
  EXPECT_EQ(first.seen[2], (FirstKey::Seen{0, 4, 2, 1}));
  EXPECT_EQ(found.state.coverage.value().at({1, 2, 0}), 3);
  EXPECT_EQ(found.state.coverage.value().at({1, 2, 1}), 0);
}

TEST_F(ObserverTest, WeightsOfAnotherShapeAreRefused) {
  struct Fewer final : Observer {
    Variable weights(const ObservedWeights& observed) override {
      return slice(observed.weights, 3, 0, 2);
    }
  } fewer;
  struct Nothing final : Observer {
    Variable weights(const ObservedWeights&) override { return {}; }
  } nothing;
  const Mechanism look = made("scaled_dot");
  EXPECT_EQ(message_of([&] { attended(look, &fewer); }),
            "observer of \"cross\", layer 3: it returned weights [2,4,3,2]; it takes [2,4,3,6]");
  EXPECT_EQ(message_of([&] { attended(look, &nothing); }),
            "observer of \"cross\", layer 3: it returned weights that are undefined; it takes "
            "[2,4,3,6]");
}

TEST_F(ObserverTest, WhatAsksForNoWeightsLeavesTheFusedKernelToItsWork) {
  struct Bystander final : Observer {
    bool wants_weights(const Site&) const override { return false; }
    Variable weights(const ObservedWeights&) override { throw InternalError("nobody asked"); }
    void attended(const ObservedAttention& observed) override {
      fused = observed.fused;
      shown = observed.weights.defined();
    }
    bool fused = false, shown = true;
  } bystander;
  const Mechanism look = made("scaled_dot");
  const Tensor alone = attended(look, nullptr).context.value();
  EXPECT_EQ(attended(look, &bystander).context.value().values(), alone.values());
  EXPECT_TRUE(bystander.fused);
  EXPECT_FALSE(bystander.shown);
  EXPECT_TRUE(attended(look, nullptr).fused);
}

TEST_F(ObserverTest, ATraceAfterAnObserverShowsWhatThatReturned) {
  FirstKey first;
  Trace before, after;
  Observers all{&before, nullptr, &first, &after};
  attended(made("scaled_dot | window(1)"), all.get());
  // Both are told of the end alike: weights are those that read the values.
  expect_same_looks(before.entries()[0].weights, after.entries()[0].weights, 0);
  EXPECT_EQ(after.entries()[0].weights.at({0, 0, 0, 0}), 1);
  EXPECT_TRUE(is_masked(after.entries()[0].weights.at({0, 0, 0, 5})));
  EXPECT_EQ(Observers({nullptr}).get(), nullptr);
  EXPECT_EQ(Observers({&first}).get(), &first);
}

TEST_F(ObserverTest, StatesOfAnotherShapeAreRefused) {
  struct Narrow final : Observer {
    bool wants_states() const override { return true; }
    Variable states(const Site&, const Variable& x) override { return slice(x, 2, 0, 1); }
  } narrow;
  EXPECT_THROW(watched_states(&narrow, {}, Variable(wavy({2, 3, 4}))), UsageError);
  const Variable x(wavy({2, 3, 4}));
  FirstKey first;
  EXPECT_EQ(watched_states(&first, {}, x).value().data(), x.value().data());
  EXPECT_EQ(watched_states(nullptr, {}, x).value().data(), x.value().data());
}

}  // namespace
}  // namespace heed::attention
