// SPDX-License-Identifier: Apache-2.0
// Whole mechanisms against finite differences, Real being double: context, weights, and through
// the sums of a memory that has grown.
#include <gtest/gtest.h>

#include "heed/attention/attention.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/whole.h"
#include "heed/autograd/gradcheck.h"
#include "heed/autograd/ops.h"
#include "heed/nn/module.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

static_assert(sizeof(Real) == 8, "gradient checks are built with HEED_REAL=double");

using heed::testing::expect_near;
using heed::testing::wavy;
using Args = std::span<const Variable>;

bool is_causal(const std::string& pattern) {
  return pattern.find("causal") != std::string::npos;
}

// Every number of the part, so that none is where it is drawn to be.
void shake(Attention& look) {
  int phase = 5;
  for (const nn::Parameter& parameter : nn::parameters(look)) {
    Tensor values = parameter.variable.value();
    values.assign(values + wavy(values.shape(), phase++) * Real(0.3));
  }
}

// Has the values read by the matrix of weights, as other weights in its place would.
struct ReadByWeights final : Observer {
  Variable weights(const ObservedWeights& observed) override { return observed.weights * Real(1); }
};

TEST(WholeGradcheck, EveryMechanismIsTheDenseMatrixItStandsFor) {
  for (const std::string& setting : every_setting<WholeAttention>()) {
    for (const char* pattern : {" | full", " | padding", " | padding(of=both)", " | causal",
                                " | causal & padding", " | prefix(3)"}) {
      SCOPED_TRACE(setting + pattern);
      const auto part = made_part<WholeAttention>(setting);
      const bool prefix = std::string(pattern).ends_with("prefix(3)");
      if (!part->gives_weights() || ((is_causal(pattern) || prefix) && part->mixes_keys()))
        continue;
      Random random(1);
      const auto look = make_attention(
          setting + pattern,
          {.query_width = 3, .key_width = 3, .value_width = 2, .heads = 4, .key_heads = 2}, random);
      shake(*look);
      const bool padded = std::string(pattern).find("padding") != std::string::npos;
      const KeyData data{.lengths = padded ? Ids::of({2}, {9, 5}) : Ids()};
      const auto run = [&](bool dense) {
        const Variable query = Variable::leaf(wavy({2, 4, 9, 3})),
                       keys = Variable::leaf(wavy({2, 2, 9, 3}, 1)),
                       values = Variable::leaf(wavy({2, 2, 9, 2}, 2));
        ReadByWeights by_weights;
        const Variable context = look->attend(query, look->memory(keys, values, data), {},
                                              {.watch = dense ? &by_weights : nullptr})
                                     .context;
        nn::clear_gradients(nn::parameters(*look));
        backward(sum(square(context) + context * Variable(wavy(context.shape(), 4))));
        std::vector<Tensor> all{context.value(), query.gradient(), keys.gradient(),
                                values.gradient()};
        for (const nn::Parameter& parameter : nn::parameters(*look)) {
          if (parameter.variable.gradient().defined()) all.push_back(parameter.variable.gradient());
        }
        return all;
      };
      const std::vector<Tensor> itself = run(false), dense = run(true);
      ASSERT_EQ(itself.size(), dense.size());
      for (std::size_t i = 0; i < itself.size(); ++i) expect_near(itself[i], dense[i], 1e-10);
    }
  }
}

TEST(WholeGradcheck, HoldsForContextWeightsAndSums) {
  ASSERT_FALSE(Catalogue<WholeAttention>::entries().empty());
  for (const std::string& setting : every_setting<WholeAttention>()) {
    for (const char* pattern : {" | padding", " | causal & padding"}) {
      SCOPED_TRACE(setting + pattern);
      if (is_causal(pattern) && made_part<WholeAttention>(setting)->mixes_keys()) continue;
      Random random(1);
      const auto look = make_attention(
          setting + pattern,
          {.query_width = 3, .key_width = 3, .value_width = 2, .heads = 4, .key_heads = 2}, random);
      const std::vector<Tensor> inputs{wavy({2, 4, 3, 3}), wavy({2, 2, 5, 3}, 1),
                                       wavy({2, 2, 5, 2}, 2)};
      const KeyData data{.lengths = Ids::of({2}, {5, 2})};
      const GradcheckResult at_once = gradcheck(
          [&](Args a) {
            const Attended found =
                look->attend(a[0], look->memory(a[1], a[2], data), {},
                             {.given = {.first_query = 2}, .weights = look->gives_weights()});
            Variables all{reshape(found.context, {-1})};
            if (look->gives_weights()) all.push_back(reshape(found.weights, {-1}));
            return concat(all, 0);
          },
          inputs);
      EXPECT_TRUE(at_once.passed) << at_once.where;
      const KeyData before{.lengths = Ids::of({2}, {1, 0})};
      const GradcheckResult grown = gradcheck(
          [&](Args a) {
            const auto keys = [&](std::int64_t begin, std::int64_t end) {
              return std::pair{slice(a[1], 2, begin, end), slice(a[2], 2, begin, end)};
            };
            // The second sequence starts with padding, and fills it.
            Memory memory = look->memory(keys(0, 1).first, keys(0, 1).second, before);
            memory = look->grown(memory, keys(1, 3).first, keys(1, 3).second);
            memory = look->grown(memory, keys(3, 5).first, keys(3, 5).second);
            return look->attend(a[0], memory, {}, {.given = {.first_query = 3}}).context;
          },
          inputs);
      EXPECT_TRUE(grown.passed) << grown.where;
    }
  }
}

}  // namespace
}  // namespace heed::attention
