// SPDX-License-Identifier: Apache-2.0
// The law of foreign memory, for every part of the catalogue: a mechanism over buffers of the
// caller's, [batch, position, head, feature] as others lay them out, gives what it gives over
// tensors of its own, and gradients too; and the buffers stay as they were.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/settings_testing.h"
#include "heed/attention/whole.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 2, kHeads = 2, kLength = 5, kWidth = 4;

// Every mechanism that differs from scaled_dot in one part, as it comes or with an example of it.
std::vector<std::string> mechanisms() {
  std::vector<std::string> all = every_setting<Score>();
  for (const std::string& bias : every_setting<Bias>()) all.push_back("scaled_dot + " + bias);
  for (const std::string& pattern : every_setting<NamedPattern>()) {
    const std::string score = with_what_it_reads("scaled_dot", *made_part<NamedPattern>(pattern));
    all.push_back(score + " | " + pattern);
  }
  for (const std::string& normaliser : every_setting<Normaliser>()) {
    all.push_back("scaled_dot | causal | " + normaliser);
  }
  for (const std::string& part : every_setting<Addressing>()) {
    all.push_back("scaled_dot | causal | softmax | " + part);
  }
  for (const std::string& whole : every_setting<WholeAttention>()) all.push_back(whole);
  return all;
}

struct Inputs {
  Tensor query, keys, values;
};

// Context and gradients; none where the mechanism takes data that this does not give.
std::vector<Tensor> results(const std::string& mechanism, const Inputs& inputs) {
  Random random(3);
  const auto look = make_attention(mechanism,
                                   {.query_width = kWidth,
                                    .key_width = kWidth,
                                    .value_width = kWidth,
                                    .heads = kHeads,
                                    .key_heads = kHeads},
                                   random);
  const Variable leaves[] = {Variable::leaf(inputs.query), Variable::leaf(inputs.keys),
                             Variable::leaf(inputs.values)};
  std::vector<Tensor> all;
  try {
    const Variable context = look->attend(leaves[0], look->memory(leaves[1], leaves[2])).context;
    backward(sum(square(context)));
    all.push_back(context.value());
  } catch (const UsageError&) {
    return all;
  }
  for (const Variable& leaf : leaves) {
    if (leaf.gradient().defined()) all.push_back(leaf.gradient());
  }
  return all;
}

TEST(ForeignLaws, EveryMechanismReadsTheCallersMemoryAsItReadsItsOwn) {
  const Shape laid_out = {kBatch, kLength, kHeads, kWidth};
  std::vector<std::vector<Real>> buffers;
  Inputs foreign;
  Inputs own;
  for (const double phase : {0.0, 1.0, 2.0}) {
    const std::vector<Real>& buffer = buffers.emplace_back(wavy(laid_out, phase).values());
    const Tensor seen = Tensor::over(buffer.data(), {kBatch, kHeads, kLength, kWidth},
                                     {kLength * kHeads * kWidth, kWidth, kHeads * kWidth, 1});
    Tensor& place = phase == 0 ? foreign.query : phase == 1 ? foreign.keys : foreign.values;
    Tensor& own_place = phase == 0 ? own.query : phase == 1 ? own.keys : own.values;
    place = seen;
    own_place = seen.clone();
  }
  const auto before = buffers;
  int tried = 0;
  for (const std::string& mechanism : mechanisms()) {
    SCOPED_TRACE(mechanism);
    const std::vector<Tensor> expected = results(mechanism, own);
    const std::vector<Tensor> found = results(mechanism, foreign);
    ASSERT_EQ(found.size(), expected.size());
    if (!expected.empty()) ++tried;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(expect_near(found[i], expected[i], 1e-5));
    }
  }
  EXPECT_GE(tried, 80);
  EXPECT_EQ(buffers, before);
}

}  // namespace
}  // namespace heed::attention
