// SPDX-License-Identifier: Apache-2.0
// Laws of masks, run over every score, bias, pattern, normaliser and addressing part: a padded
// batch is its sequences alone, and what a query may not see does not reach it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/given_testing.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/join.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 3, kHeads = 2, kQueries = 4, kKeys = 6, kWidth = 4, kValues = 3;
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();

// A mechanism for each part, written with `pattern` between the terms and the normaliser.
struct Written {
  std::string name;  // of the part
  std::string terms = "scaled_dot";
  std::string normaliser = "softmax";
  std::string then = {};  // what becomes of the weights
  std::string with(const std::string& pattern) const {
    return terms + " | " + pattern + " | " + normaliser + (then.empty() ? "" : " | " + then);
  }
  friend void PrintTo(const Written& written, std::ostream* out) { *out << written.with("..."); }
};
std::vector<Written> every_part() {
  std::vector<Written> all;
  for (const std::string& score : every_setting<Score>()) {
    all.push_back({.name = score, .terms = score});
  }
  for (const std::string& bias : every_setting<Bias>()) {
    all.push_back({.name = "bias_" + bias, .terms = Written{}.terms + " + " + bias});
  }
  for (const std::string& normaliser : every_setting<Normaliser>()) {
    if (!takes_any_table(*made_part<Normaliser>(normaliser))) continue;
    all.push_back({.name = "by_" + normaliser, .normaliser = normaliser});
  }
  for (const std::string& part : every_setting<Addressing>()) {
    all.push_back({.name = "then_" + part, .then = part});
  }
  return all;
}

Mechanism made(const std::string& text) {
  Random random(3);
  return Mechanism(text,
                   {.query_width = kWidth,
                    .key_width = kWidth,
                    .value_width = kValues,
                    .heads = kHeads,
                    .key_heads = kHeads},
                   random);
}

// Everything a mechanism may ask for, for `batch` sequences.
struct Inputs {
  Tensor query = wavy({kBatch, kHeads, kQueries, kWidth});
  Tensor keys = wavy({kBatch, kHeads, kKeys, kWidth}, 1);
  Tensor values = wavy({kBatch, kHeads, kKeys, kValues}, 2);
  GivenData data = {
      .lengths = Ids::of({kBatch}, {kKeys, 3, 5}),
      .query_segments = Ids::of({kBatch, kQueries}, {0, 0, 1, 1, 1, 0, 2, 0, 0, 0, 0, 3}),
      .key_segments =
          Ids::of({kBatch, kKeys}, {0, 0, 1, 0, 1, 1, 2, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1}),
      .bias = wavy({kBatch, kHeads, kQueries, kKeys}, 3)};

  // One sequence without its padding.
  Inputs alone(std::int64_t b) const {
    Inputs one = *this;
    const std::int64_t length = data.lengths.span()[static_cast<std::size_t>(b)];
    one.query = query.slice(0, b, b + 1);
    one.keys = keys.slice(0, b, b + 1).slice(2, 0, length);
    one.values = values.slice(0, b, b + 1).slice(2, 0, length);
    one.data = {.bias = data.bias.slice(0, b, b + 1).slice(3, 0, length)};
    return one;
  }
  // NaN in the padding of keys and values.
  Inputs poisoned() const {
    Inputs bad = *this;
    bad.keys = keys.clone();
    bad.values = values.clone();
    for (std::int64_t b = 0; b < kBatch; ++b) {
      const std::int64_t length = data.lengths.span()[static_cast<std::size_t>(b)];
      for (Tensor* x : {&bad.keys, &bad.values}) {
        Tensor padding = x->slice(0, b, b + 1).slice(2, length, kKeys);
        padding.assign(Tensor::full(padding.shape(), kNan));
      }
    }
    return bad;
  }
};

// Of everything there is, what this mechanism reads: other data would be refused.
GivenData read_by(const Mechanism& look, GivenData data) {
  if (!look.reads(Given::lengths)) data.lengths = {};
  if (!look.reads(Given::segments)) data.query_segments = data.key_segments = {};
  if (!look.reads(Given::mask)) data.mask = {};
  if (!look.reads(Given::bias)) data.bias = {};
  return data;
}
Memory memory_of(const Mechanism& look, const Inputs& inputs) {
  return look.memory(inputs.keys, inputs.values, read_by(look, inputs.data).of_keys());
}

QueryData given_to(const Mechanism& look, const Inputs& inputs) {
  return read_by(look, inputs.data).of_queries();
}

// What attending gives and the gradients of a sum of it: query, keys, values, then parameters.
struct Outcome {
  Tensor context, weights;
  std::vector<Tensor> gradients;
};
Outcome outcome(Mechanism& look, const Inputs& inputs) {
  const Variable query = Variable::leaf(inputs.query);
  const Variable keys = Variable::leaf(inputs.keys);
  const Variable values = Variable::leaf(inputs.values);
  nn::Parameters parameters = nn::parameters(look);
  nn::clear_gradients(parameters);
  const GivenData data = read_by(look, inputs.data);
  const Attended found = look.attend(query, look.memory(keys, values, data.of_keys()), {},
                                     {.given = data.of_queries(), .weights = true});
  backward(sum(square(found.context)));
  Outcome result{found.context.value(), found.weights.value(), {}};
  Variables leaves{query, keys, values};
  for (const nn::Parameter& parameter : parameters) leaves.push_back(parameter.variable);
  for (const Variable& leaf : leaves) {
    const Tensor& gradient = leaf.gradient();  // `location` asks nothing of the keys
    result.gradients.push_back(gradient.defined() ? gradient.clone() : Tensor::zeros(leaf.shape()));
  }
  return result;
}

class MaskLaws : public ::testing::TestWithParam<Written> {};

TEST_P(MaskLaws, APaddedBatchIsItsSequencesAlone) {
  // Draws go by the number of the row, which is another one in a batch.
  const Card& card = card_of<Normaliser>(GetParam().normaliser);
  if (std::ranges::count(card.promises, Promise::random) > 0) return;
  Mechanism look = made(GetParam().with("padding"));
  const Inputs inputs;
  const Outcome together = outcome(look, inputs);
  for (std::int64_t b = 0; b < kBatch; ++b) {
    SCOPED_TRACE(b);
    const Outcome alone = outcome(look, inputs.alone(b));
    const std::int64_t length = alone.weights.size(3);
    expect_near(together.context.slice(0, b, b + 1), alone.context, 1e-5);
    expect_near(together.weights.slice(0, b, b + 1).slice(3, 0, length), alone.weights, 1e-5);
    for (std::size_t i = 0; i < 3; ++i) {
      const Tensor mine = together.gradients[i].slice(0, b, b + 1);
      expect_near(i == 0 ? mine : mine.slice(2, 0, length), alone.gradients[i], 1e-5);
    }
  }
}

TEST_P(MaskLaws, NoNanOfAPaddedKeyReachesAnyResultOrGradient) {
  Mechanism look = made(GetParam().with("padding"));
  const Inputs inputs;
  const Outcome clean = outcome(look, inputs);
  const Outcome found = outcome(look, inputs.poisoned());
  expect_near(found.context, clean.context, 1e-6);
  expect_near(found.weights, clean.weights, 1e-6);
  for (std::size_t i = 0; i < clean.gradients.size(); ++i) {
    SCOPED_TRACE(i);
    expect_near(found.gradients[i], clean.gradients[i], 1e-5);
  }
}

TEST_P(MaskLaws, WithoutAnAllowedKeyAllIsZeroAndNoGradientIsNan) {
  Mechanism look = made(GetParam().with("padding"));
  Inputs inputs;
  inputs.data.lengths = Ids::of({kBatch}, {0, 3, 5});
  const Outcome found = outcome(look, inputs.poisoned());
  for (const Real w : found.weights.select(0, 0).values()) EXPECT_EQ(w, 0);
  for (const Real c : found.context.select(0, 0).values()) EXPECT_EQ(c, 0);
  for (std::size_t i = 0; i < found.gradients.size(); ++i) {
    for (const Real g : found.gradients[i].values()) ASSERT_TRUE(std::isfinite(g)) << i;
    if (i > 2) continue;  // of query, keys and values: none at all
    for (const Real g : found.gradients[i].select(0, 0).values()) ASSERT_EQ(g, 0) << i;
  }
}

// The inputs with one key and its value replaced by a number.
Inputs with_key(const Inputs& inputs, std::int64_t j, Real number) {
  Inputs changed = inputs;
  changed.keys = inputs.keys.clone();
  changed.values = inputs.values.clone();
  changed.keys.slice(2, j, j + 1).assign(Tensor::full({kBatch, kHeads, 1, kWidth}, number));
  changed.values.slice(2, j, j + 1).assign(Tensor::full({kBatch, kHeads, 1, kValues}, number));
  return changed;
}

// Poisons one key after the other and looks who notices: a query that sees it gets NaN, one that
// does not gets what it would get with zeros there. `seen` [B,H,Q,K] is not 0 where a key is
// allowed. After a query that noticed, what a part that looks back gives is not said.
void expect_only_who_sees_notices(const Mechanism& look, const Inputs& inputs, const Tensor& seen,
                                  bool looks_back) {
  const auto context = [&](const Inputs& given) {
    return look.attend(given.query, memory_of(look, given), {}, {.given = given_to(look, given)})
        .context.value();
  };
  for (std::int64_t j = 0; j < kKeys; ++j) {
    const Tensor clean = context(with_key(inputs, j, 0));
    const Tensor found = context(with_key(inputs, j, kNan));
    for (std::int64_t row = 0; row < kBatch * kHeads * kQueries; ++row) {
      const std::int64_t b = row / kQueries / kHeads, h = row / kQueries % kHeads;
      const std::int64_t q = row % kQueries;
      const bool sees = seen.at({b, h, q, j}) != 0;
      for (std::int64_t d = 0; d < kValues; ++d) {
        const Real x = found.at({b, h, q, d});
        if (sees) {
          ASSERT_TRUE(std::isnan(x)) << "query " << q << " sees key " << j;
        } else {
          ASSERT_NEAR(x, clean.at({b, h, q, d}), 1e-6) << "query " << q << ", key " << j;
        }
      }
      if (sees && looks_back) row += kQueries - 1 - q;
    }
  }
}

// A mask without rule; one query of the first sequence sees nothing.
Tensor ragged_mask() {
  Tensor mask = wavy({kBatch, kHeads, kQueries, kKeys}, 7);
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    Real& flag = mask.mutable_data()[i];
    flag = flag > Real(-0.3) && i >= kKeys ? Real{1} : Real{0};
  }
  return mask;
}

TEST_P(MaskLaws, ANanReachesOnlyTheQueriesThatMaySeeItsKey) {
  // Others than softmax may give an allowed key no weight.
  if (GetParam().normaliser != Written{}.normaliser) return;
  const Mechanism look = made(GetParam().with("tensor"));
  Inputs inputs;
  inputs.data.lengths = {};
  inputs.data.mask = ragged_mask();
  const std::string score = parse_spec(GetParam().terms).groups[0].mechanism.terms[0].name;
  const std::string& then = GetParam().then;
  const bool looks_back = Catalogue<Score>::find(score)->make()->looks_back() ||
                          (!then.empty() && made_part<Addressing>(then)->looks_back());
  expect_only_who_sees_notices(look, inputs, inputs.data.mask, looks_back);
}

TEST_P(MaskLaws, ATraceMarksTheKeysThatAreHiddenAndGivesTheWeightsOfAllOthers) {
  // A mask without rule may leave no structure to those that weigh structures of keys in order.
  const auto& promises = card_of<Normaliser>(GetParam().normaliser).promises;
  if (std::ranges::count(promises, Promise::whole_matrix) > 0 &&
      std::ranges::count(promises, Promise::permutation_equivariant) == 0) {
    return;
  }
  const Mechanism look = made(GetParam().with("tensor"));
  Inputs inputs;
  inputs.data.lengths = {};
  inputs.data.mask = ragged_mask();
  Trace trace;
  const Attended found =
      look.attend(inputs.query, memory_of(look, inputs), {},
                  {.given = given_to(look, inputs), .weights = true, .watch = &trace});
  ASSERT_EQ(trace.entries().size(), 1u);
  const std::vector<Real> seen = trace.entries()[0].weights.values();
  const std::vector<Real> weights = found.weights.value().values();
  const std::vector<Real> mask = inputs.data.mask.values();
  ASSERT_EQ(seen.size(), mask.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(is_masked(seen[i]), mask[i] == 0) << i;
    ASSERT_EQ(share_of(seen[i]), weights[i]) << i;
  }
}

std::string test_name(const ::testing::TestParamInfo<Written>& info) {
  return test_name_of(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(Catalogue, MaskLaws, ::testing::ValuesIn(every_part()), test_name);

class PatternMaskLaws : public ::testing::TestWithParam<std::string> {};

TEST_P(PatternMaskLaws, ANanReachesOnlyTheQueriesThatMaySeeItsKey) {
  Inputs inputs;
  inputs.data.mask = ragged_mask();
  const std::string terms = with_what_it_reads("dot", *pattern_of(GetParam()));
  for (const std::string& pattern : {GetParam(), GetParam() + " & tensor & padding"}) {
    SCOPED_TRACE(pattern);
    const Mechanism look = made(terms + " | " + pattern);
    const Tensor seen = look.attend(inputs.query, memory_of(look, inputs), {},
                                    {.given = given_to(look, inputs), .weights = true})
                            .weights.value();
    expect_only_who_sees_notices(look, inputs, seen, false);
    if (pattern == GetParam()) continue;
    for (std::int64_t i = 0; i < seen.size(); ++i) {
      const bool masked = inputs.data.mask.data()[i] == 0;
      ASSERT_FALSE(masked && seen.data()[i] != 0) << "the mask holds under every pattern";
    }
  }
}

TEST_P(PatternMaskLaws, ATraceMarksWhatThePatternHides) {
  Inputs inputs;
  inputs.data.mask = ragged_mask();
  const std::string terms = with_what_it_reads("dot", *pattern_of(GetParam()));
  const Mechanism look = made(terms + " | " + GetParam());
  Trace trace;
  const Attended found =
      look.attend(inputs.query, memory_of(look, inputs), {},
                  {.given = given_to(look, inputs), .weights = true, .watch = &trace});
  const std::vector<Real> seen = trace.entries().at(0).weights.values();
  const std::vector<Real> weights = found.weights.value().values();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    // Softmax gives every key it sees something.
    ASSERT_EQ(is_masked(seen[i]), weights[i] == 0) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PatternMaskLaws,
                         ::testing::ValuesIn(every_setting<NamedPattern>()),
                         [](const auto& info) { return test_name_of(info.param); });

}  // namespace
}  // namespace heed::attention
