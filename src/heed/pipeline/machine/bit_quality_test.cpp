// SPDX-License-Identifier: Apache-2.0
// Losses and wrong bits of sequences, by hand; heads that have collapsed.
#include "heed/pipeline/machine/bit_quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/corpora/bits/bit_files.h"
#include "heed/pipeline/machine/bit_model.h"

namespace heed::pipeline {
namespace {

corpora::BitForm three_bits() {
  corpora::BitForm form = corpora::usual_form(corpora::BitTask::copy);
  form.bits = 3;
  return form;
}

std::vector<corpora::BitSequence> sequences(std::int64_t length, std::int64_t count) {
  return corpora::draw_bits({.form = three_bits(), .count = count, .length = length});
}

TEST(BitQuality, TheLossIsMinusTheLogOfEachBitThatIsAsked) {
  const corpora::BitForm form = three_bits();
  const corpora::BitSequence one =
      corpora::posed(form, corpora::parse_bit_line("101", "line"), "line");
  const BitTensors batch = tensors_of(std::span(&one, 1), form);
  EXPECT_EQ(batch.inputs.shape(), (Shape{3, 1, 4}));
  EXPECT_EQ(batch.bits, 3);
  // Logits of 2 everywhere: two ones cost log(1 + e^-2), a zero log(1 + e^2).
  const Variable logits(Tensor::full({3, 1, 3}, 2));
  EXPECT_NEAR(bits_loss(logits, batch).item(),
              2 * std::log1p(std::exp(-2.)) + std::log1p(std::exp(2.)), 1e-5);
}

TEST(BitQuality, CountsTheSameWhateverIsRunTogether) {
  Random random(1);
  const BitModel model(
      {.machine = {.inputs = 4, .outputs = 3, .hidden = 8, .slots = 5, .width = 4}}, random);
  std::vector<corpora::BitSequence> all = sequences(2, 3);
  const std::vector<corpora::BitSequence> longer = sequences(4, 2);
  all.insert(all.begin() + 1, longer.begin(), longer.end());
  const BitQuality whole = bit_quality(model, all, three_bits());
  EXPECT_EQ(whole.asked, 3 * 6 + 2 * 12);
  double cost = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BitQuality one = bit_quality(model, std::span(&all[i], 1), three_bits());
    EXPECT_NEAR(one.cost(), whole.costs[i], 1e-4);
    EXPECT_EQ(one.wrong, whole.wrongs[i]);
    cost += one.cost() / 5;
  }
  EXPECT_NEAR(whole.cost(), cost, 1e-4);
}

TEST(BitQuality, AnLstmHasNoHeadsAndAMachineSomeThatVisitSlots) {
  Random random(1);
  const BitModel lstm({.kind = BitModelKind::lstm,
                       .machine = {.inputs = 4, .outputs = 3, .hidden = 8},
                       .layers = 2},
                      random);
  EXPECT_EQ(lstm.machine(), nullptr);
  EXPECT_EQ(lstm(Variable(Tensor::zeros({5, 2, 4}))).shape(), (Shape{5, 2, 3}));
  const BitModel model(
      {.machine = {.inputs = 4, .outputs = 3, .hidden = 8, .slots = 5, .width = 4}}, random);
  const std::vector<HeadUse> uses = head_uses(*model.machine(), sequences(2, 2), three_bits());
  ASSERT_EQ(uses.size(), 2u);
  for (const HeadUse& use : uses) {
    EXPECT_GE(use.spread, 1);
    EXPECT_LE(use.spread, 5);
    EXPECT_GE(use.visited, use.spread * .99);
  }
}

TEST(BitQuality, SaysWhichHeadsHaveCollapsed) {
  const models::TuringMachineOptions options{.slots = 16};
  EXPECT_TRUE(signs_of_collapse(std::vector<HeadUse>{{1.1, 5}, {1.2, 6}}, options).empty());
  const auto blurred = signs_of_collapse(std::vector<HeadUse>{{15.9, 16}, {1.2, 6}}, options);
  ASSERT_EQ(blurred.size(), 1u);
  EXPECT_TRUE(blurred[0].starts_with("every head that reads is spread over 16 of 16 slots"))
      << blurred[0];
  const auto stuck = signs_of_collapse(std::vector<HeadUse>{{1.1, 5}, {1, 1.01}}, options);
  ASSERT_EQ(stuck.size(), 1u);
  EXPECT_TRUE(stuck[0].starts_with("every head that writes stays on one slot (1.01 visited"))
      << stuck[0];
}

}  // namespace
}  // namespace heed::pipeline
