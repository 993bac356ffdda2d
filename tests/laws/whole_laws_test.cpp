// SPDX-License-Identifier: Apache-2.0
// The laws of whole mechanisms, run over the whole catalogue, causal and not.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/compose/products.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/trace.h"
#include "heed/attention/whole.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"
#include "part_folder.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 3, kHeads = 4, kKeyHeads = 2, kLength = 6, kWidth = 4, kValues = 3;
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

struct Setting {
  std::string part;  // as written
  bool causal;
};

class WholeLaws : public ::testing::TestWithParam<Setting> {
 protected:
  std::unique_ptr<Attention> made(const std::string& more = "") const {
    Random random(3);
    return make_attention(GetParam().part + (GetParam().causal ? " | causal" : " | full") + more,
                          {.query_width = kWidth,
                           .key_width = kWidth,
                           .value_width = kValues,
                           .heads = kHeads,
                           .key_heads = kKeyHeads},
                          random);
  }
  Tensor query = wavy({kBatch, kHeads, kLength, kWidth});
  Tensor keys = wavy({kBatch, kKeyHeads, kLength, kWidth}, 1);
  Tensor values = wavy({kBatch, kKeyHeads, kLength, kValues}, 2);
};

TEST_P(WholeLaws, APaddedBatchIsItsSequencesAlone) {
  const auto look = made(" & padding");
  const std::vector<std::int32_t> lengths{6, 2, 4};
  const auto run = [&](const Tensor& q, const Tensor& k, const Tensor& v, const KeyData& data) {
    const Variable leaves[] = {Variable::leaf(q), Variable::leaf(k), Variable::leaf(v)};
    const Variable context =
        look->attend(leaves[0], look->memory(leaves[1], leaves[2], data)).context;
    backward(sum(square(context)));
    return std::vector<Tensor>{context.value(), leaves[0].gradient(), leaves[1].gradient(),
                               leaves[2].gradient()};
  };
  const auto together = run(query, keys, values, {.lengths = Ids::of({kBatch}, lengths)});
  for (std::int64_t b = 0; b < kBatch; ++b) {
    SCOPED_TRACE(b);
    const std::int64_t length = lengths[static_cast<std::size_t>(b)];
    const auto one = [b](const Tensor& x) { return x.slice(0, b, b + 1); };
    const auto cut = [&](const Tensor& x) { return one(x).slice(2, 0, length); };
    const auto alone = run(one(query), cut(keys), cut(values), {});
    expect_near(one(together[0]), alone[0], 1e-5);
    expect_near(one(together[1]), alone[1], 1e-5);
    expect_near(cut(together[2]), alone[2], 1e-5);
    expect_near(cut(together[3]), alone[3], 1e-5);
  }
}

TEST_P(WholeLaws, AGrownMemoryIsTheWholeMemory) {
  const auto look = made();
  Memory memory = look->memory(keys.slice(2, 0, 3), values.slice(2, 0, 3));
  memory = look->grown(memory, keys.slice(2, 3, 4), values.slice(2, 3, 4));
  memory = look->grown(memory, keys.slice(2, 4, 6), values.slice(2, 4, 6));
  const AttendOptions at_the_end{.given = {.first_query = 4}};
  const Tensor last = query.slice(2, 4, 6);
  expect_near(look->attend(last, memory, {}, at_the_end).context.value(),
              look->attend(last, look->memory(keys, values), {}, at_the_end).context.value(), 1e-5);
}

TEST_P(WholeLaws, AStepIsTheRowOfTheWhole) {
  if (!GetParam().causal) GTEST_SKIP() << "a row of the whole sees later keys";
  const auto look = made();
  const Tensor whole = look->attend(query, look->memory(keys, values)).context.value();
  Memory memory;
  AttentionState state;
  for (std::int64_t t = 0; t < kLength; ++t) {
    const auto at = [t](const Tensor& x) { return x.slice(2, t, t + 1); };
    memory =
        t == 0 ? look->memory(at(keys), at(values)) : look->grown(memory, at(keys), at(values));
    const Attended found = look->attend(at(query), memory, state);
    state = found.state;
    expect_near(found.context.value(), at(whole), 1e-5);
  }
  EXPECT_EQ(state.step, kLength);
}

TEST_P(WholeLaws, NoNanOfAHiddenKeyReachesAnyResultOrGradient) {
  const auto look = made(" & padding");
  const auto run = [&](Real number) {
    Tensor bad_keys = keys.clone(), bad_values = values.clone();
    for (Tensor* x : {&bad_keys, &bad_values}) {
      Tensor padding = x->slice(2, 4, kLength);
      padding.assign(Tensor::full(padding.shape(), number));
    }
    const Variable q = Variable::leaf(query), k = Variable::leaf(bad_keys);
    const Attended found =
        look->attend(q, look->memory(k, bad_values, {.lengths = Ids::full({kBatch}, 4)}), {},
                     {.weights = look->gives_weights()});
    backward(sum(square(found.context)));
    return std::vector<Tensor>{found.context.value(), q.gradient(), k.gradient()};
  };
  const auto clean = run(0), found = run(kNan);
  for (std::size_t i = 0; i < clean.size(); ++i) expect_near(found[i], clean[i], 1e-6);
}

TEST_P(WholeLaws, WithoutAKeyAllIsZero) {
  const auto look = made(" & padding");
  const Memory memory = look->memory(keys, values, {.lengths = Ids::full({kBatch}, 0)});
  const Variable q = Variable::leaf(query);
  const Attended found = look->attend(q, memory, {}, {.weights = look->gives_weights()});
  for (const Real x : found.context.value().values()) EXPECT_EQ(x, 0);
  backward(sum(found.context));
  for (const Real x : q.gradient().values()) EXPECT_EQ(x, 0);
}

TEST_P(WholeLaws, ItsWeightsTimesValuesAreItsContextAndItsTraceMarksWhatIsHidden) {
  const auto look = made(" & padding");
  if (!look->gives_weights()) GTEST_SKIP() << "it has no matrix of weights";
  Trace trace;
  const Attended found =
      look->attend(query, look->memory(keys, values, {.lengths = Ids::of({kBatch}, {6, 2, 4})}), {},
                   {.weights = true, .watch = &trace});
  expect_near(found.context.value(), combine(found.weights, values).value(), 1e-5);
  const std::vector<Real> traced = trace.entries().at(0).weights.values();
  const std::vector<Real> weights = found.weights.value().values();
  for (std::size_t i = 0; i < traced.size(); ++i) {
    const std::size_t key = i % kLength, query_row = i / kLength % kLength;
    const std::size_t lengths[] = {6, 2, 4};
    const bool hidden =
        key >= lengths[i / (kLength * kLength * kHeads)] || (GetParam().causal && key > query_row);
    EXPECT_EQ(share_of(traced[i]), weights[i]);
    EXPECT_EQ(is_masked(traced[i]), hidden) << i;
  }
}

TEST_P(WholeLaws, SequencesOfDifferentFillAreEachAlone) {
  const auto look = made(" & padding");
  const std::vector<std::int32_t> before{1, 4, 0};
  const Tensor two = query.slice(2, 0, 2);
  const Tensor found =
      look->attend(two, look->memory(keys, values, {.lengths = Ids::of({3}, {3, 6, 2})}), {},
                   {.given = {.first_query = Ids::of({3}, before)}})
          .context.value();
  for (std::int64_t b = 0; b < kBatch; ++b) {
    const std::int64_t first = before[static_cast<std::size_t>(b)];
    const auto cut = [&](const Tensor& x) { return x.slice(0, b, b + 1).slice(2, 0, first + 2); };
    const Tensor alone = look->attend(two.slice(0, b, b + 1), look->memory(cut(keys), cut(values)),
                                      {}, {.given = {.first_query = first}})
                             .context.value();
    expect_near(found.slice(0, b, b + 1), alone, 1e-5);
  }
}

TEST_P(WholeLaws, CanBeBuiltAgainFromItsWrittenForm) {
  EXPECT_EQ(made_part<WholeAttention>(GetParam().part)->written(), GetParam().part);
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string& part : every_setting<WholeAttention>()) {
    all.push_back({part, false});
    if (!made_part<WholeAttention>(part)->mixes_keys()) all.push_back({part, true});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, WholeLaws, ::testing::ValuesIn(settings()),
                         [](const auto& info) {
                           return test_name_of(info.param.part) +
                                  (info.param.causal ? "_causal" : "");
                         });

TEST(WholeCatalogue, SaysWhatItMixesAndRefusesToBeCausalThen) {
  std::size_t mixing = 0;
  for (const std::string& part : every_setting<WholeAttention>()) {
    const auto made = made_part<WholeAttention>(part);
    if (made->mixes_queries()) {
      EXPECT_TRUE(made->mixes_keys()) << part;
    }
    if (!made->mixes_keys()) continue;
    SCOPED_TRACE(part);
    ++mixing;
    Random random(1);
    const MechanismShape shape{.query_width = kWidth, .key_width = kWidth, .value_width = kValues};
    const std::string written = heed::testing::message_of(
        [&] { make_attention(part + " | causal & padding", shape, random); });
    EXPECT_NE(written.find("mixes all keys"), std::string::npos) << written;
    EXPECT_NE(written.find("linear"), std::string::npos) << "which ones may be";
    const auto look = make_attention(part, shape, random);
    EXPECT_TRUE(look->mixes_keys());
    const std::string asked = heed::testing::message_of([&] {
      look->attend(wavy({1, 1, 3, kWidth}),
                   look->memory(wavy({1, 1, 3, kWidth}), wavy({1, 1, 3, kValues})), {},
                   {.pattern = pattern_of("causal")});
    });
    EXPECT_NE(asked.find("shows 1 to one and 2 to another"), std::string::npos) << asked;
  }
  EXPECT_GE(mixing, 3u);
}

TEST(WholeCatalogue, IsTheFolder) {
  std::set<std::string> listed;
  for (const auto& entry : Catalogue<WholeAttention>::entries()) listed.insert(entry.card.name);
  EXPECT_FALSE(listed.empty());
  EXPECT_EQ(heed::test::parts_in("src/heed/attention/whole"), listed);
}

}  // namespace
}  // namespace heed::attention
