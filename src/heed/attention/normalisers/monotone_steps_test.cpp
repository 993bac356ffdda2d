// SPDX-License-Identifier: Apache-2.0
// Filtered monotone attention, asked query by query.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::message_of;
using heed::testing::wavy;

struct Asked {
  Tensor context, d_query, d_keys;
};
// Queries over a memory in calls of these many queries.
Asked asked(const std::string& written, const std::vector<std::int64_t>& calls) {
  Random random(1);
  const Mechanism look(written, {3, 3, 3}, random);
  const Variable query = Variable::leaf(wavy({2, 1, 5, 3}));
  const Variable keys = Variable::leaf(wavy({2, 1, 6, 3}, 1));
  const Memory memory = look.memory(keys, wavy({2, 1, 6, 3}, 2), {.lengths = Ids::of({2}, {6, 5})});
  AttentionState state;
  Variables found;
  std::int64_t begin = 0;
  for (const std::int64_t count : calls) {
    Attended next = look.attend(slice(query, 2, begin, begin + count), memory, state);
    found.push_back(next.context);
    state = next.state;
    begin += count;
  }
  const Variable context = concat(found, 2);
  backward(sum(square(context)));
  return {context.value(), query.gradient(), keys.gradient()};
}

TEST(MonotoneSteps, FilteredTakesQueriesOneAfterAnother) {
  for (const char* options : {"filter=true", "filter=true, strict=true", "filter=true, jump=2",
                              "filter=true, strict=true, jump=2"}) {
    for (const char* pattern : {"padding", "padding & causal"}) {
      const std::string written = fmt::format("dot | {} | monotone({})", pattern, options);
      SCOPED_TRACE(written);
      const Asked whole = asked(written, {5});
      for (const std::vector<std::int64_t>& calls :
           {std::vector<std::int64_t>{1, 1, 1, 1, 1}, std::vector<std::int64_t>{2, 3}}) {
        const Asked steps = asked(written, calls);
        expect_near(steps.context, whole.context, 2e-6);
        expect_near(steps.d_query, whole.d_query, 1e-5);
        expect_near(steps.d_keys, whole.d_keys, 1e-5);
      }
    }
  }
}

TEST(MonotoneSteps, FilteredGoesOnAfterAQueryThatSeesNothing) {
  Random random(1);
  const Mechanism look("dot | tensor | monotone(filter=true)", {3, 3, 3}, random);
  const Tensor query = wavy({1, 1, 3, 3});
  const Memory memory = look.memory(wavy({1, 1, 4, 3}, 1), wavy({1, 1, 4, 3}, 2));
  const auto ask = [&](const Tensor& some, const Tensor& mask, const AttentionState& state) {
    return look.attend(some, memory, state, {.given = {.mask = mask}});
  };
  Tensor mask = Tensor::full({1, 1, 3, 4}, 1);
  std::fill_n(mask.mutable_data() + 4, 4, Real{0});
  const Tensor whole = ask(query, mask, {}).context.value();
  const Attended two = ask(query.slice(2, 0, 2), mask.slice(2, 0, 2), {});
  const Attended last = ask(query.slice(2, 2, 3), mask.slice(2, 2, 3), two.state);
  expect_near(last.context.value(), whole.slice(2, 2, 3), 1e-6);
  // And before the first that sees something, there is no past.
  const Attended none = ask(query.slice(2, 1, 2), mask.slice(2, 1, 2), {});
  const Tensor fresh = ask(query.slice(2, 2, 3), mask.slice(2, 2, 3), {}).context.value();
  expect_near(ask(query.slice(2, 2, 3), mask.slice(2, 2, 3), none.state).context.value(), fresh,
              1e-6);
}

TEST(MonotoneSteps, FilteredAsksForTheStateOfEarlierQueries) {
  Random random(1);
  const Mechanism look("dot | full | monotone(filter=true)", {3, 3, 3}, random);
  EXPECT_FALSE(look.weighs_all_queries());
  const Memory memory = look.memory(wavy({1, 1, 4, 3}), wavy({1, 1, 4, 3}, 1));
  EXPECT_NE(message_of([&] {
              look.attend(wavy({1, 1, 1, 3}), memory, {}, {.given = {.first_query = 2}});
            }).find("give the state that the call with them returned"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::attention
