// SPDX-License-Identifier: Apache-2.0
#include "heed/decoding/frontier.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/decoding/testing.h"

namespace heed::decoding {
namespace {

using testing::KnownLanguageStepper;
using testing::markov;

TEST(Frontier, ReadsAnOutputOffItsTreeFromLeafToRoot) {
  KnownLanguageStepper stepper(markov(8, 1), 2);
  Frontier frontier(stepper, {});
  const Tensor first = frontier.step();
  EXPECT_EQ(first.shape(), Shape({2, 8}));
  // Sentence 1 continues as two rows, sentence 0 is dropped.
  const std::vector<Frontier::Choice> choices = {{1, 6, first.at({1, 6})},
                                                 {1, 4, first.at({1, 4})}};
  const std::vector<std::int32_t> nodes = {frontier.write(choices[0]), frontier.write(choices[1])};
  frontier.go_on(choices, nodes);
  ASSERT_EQ(frontier.rows().size(), 2u);
  EXPECT_EQ(frontier.rows()[0].sentence, 1);
  EXPECT_EQ(stepper.rows(), 2);
  EXPECT_EQ(frontier.length(), 1);

  const Tensor second = frontier.step();
  const Frontier::Choice end{1, text::kEnd, second.at({1, text::kEnd})};
  const Hypothesis found = frontier.hypothesis(1, frontier.write(end));
  EXPECT_EQ(found.tokens, (text::Tokens{4}));
  EXPECT_TRUE(found.finished);
  EXPECT_NEAR(found.log_probability, first.at({1, 4}) + second.at({1, text::kEnd}), 1e-6);
  EXPECT_TRUE(frontier.hypothesis(0, Frontier::kRoot).tokens.empty());
}

TEST(Frontier, StartsWithAsManyRowsPerSentenceAsAsked) {
  KnownLanguageStepper stepper(markov(8, 1), 2);
  const Frontier frontier(stepper, {.copies = 3});
  EXPECT_EQ(stepper.rows(), 6);
  EXPECT_EQ(frontier.sentences(), 2u);
  EXPECT_EQ(frontier.rows()[2].sentence, 0);
  EXPECT_EQ(frontier.rows()[3].sentence, 1);
}

TEST(Frontier, RefusesLogProbabilitiesOfAnotherShape) {
  class Wrong final : public Stepper {
   public:
    std::int64_t rows() const override { return 2; }
    Tensor step(const Ids&, attention::Observer*) override { return Tensor::zeros({3, 8}); }
    void reorder(const Ids&) override {}
  };
  Wrong stepper;
  Frontier frontier(stepper, {});
  EXPECT_THROW(frontier.step(), InternalError);
}

}  // namespace
}  // namespace heed::decoding
