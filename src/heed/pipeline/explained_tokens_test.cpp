// SPDX-License-Identifier: Apache-2.0
// Copies of a text as a model is given them, on a model that only adds up its tokens.
#include "heed/pipeline/explained_tokens.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

using explain::Kept;
using explain::Removal;

// The sum of its tokens, each times its place in the text from 1 on.
class Adder final : public ExplainedTokens {
 public:
  explicit Adder(std::vector<bool> stays)
      : ExplainedTokens({.tokens = {10, 20, 30, 1},
                         .words = {0, 1, 1, -1},
                         .words_in_all = 3,
                         .nobody = 5,
                         .stays = std::move(stays)}) {}
  using ExplainedTokens::by_word;

 private:
  Variable numbers(std::span<const Copy> copies, attention::Observer*) const override {
    Tensor sums = Tensor::zeros({static_cast<std::int64_t>(copies.size())});
    for (std::size_t n = 0; n < copies.size(); ++n) {
      for (std::size_t i = 0; i < copies[n].tokens.size(); ++i) {
        sums.mutable_data()[n] += static_cast<Real>(copies[n].tokens[i] * (copies[n].from[i] + 1));
      }
    }
    return sums;
  }
  nn::Parameters parameters() const override { return {}; }
};

TEST(ExplainedTokens, TakeTheTokensOfWordsAway) {
  const Adder adder({});
  EXPECT_EQ(adder.size(), 3u) << "the third word has no token: it is not read";
  EXPECT_EQ(adder.output(), 10 + 40 + 90 + 4);
  const std::vector<Kept> copies = {{true, false, true}, {false, true, true}, {true, true, false}};
  EXPECT_EQ(adder.outputs(copies, Removal::erase), (std::vector<double>{14, 134, 144}));
  EXPECT_EQ(adder.outputs(copies, Removal::mask), (std::vector<double>{39, 139, 144}));
  EXPECT_EQ(adder.by_word(std::vector<Real>{1, 2, 3, 4}), (std::vector<double>{1, 5, 0}));
}

TEST(ExplainedTokens, LeaveWordsThatStay) {
  const Adder adder({false, true, false});
  const std::vector<Kept> none = {{false, false, false}};
  EXPECT_EQ(adder.outputs(none, Removal::erase), (std::vector<double>{134}));
}

TEST(ExplainedTokens, RefuseWhatAModelHasNot) {
  const Adder adder({});
  const std::vector<Kept> none = {{false, false, false}};
  EXPECT_FALSE(adder.removes(Removal::zero));
  EXPECT_THROW(adder.outputs(none, Removal::zero), UsageError);
  EXPECT_THROW(adder.vectors(), UsageError);
  EXPECT_FALSE(adder.has_looks());
  EXPECT_THROW(adder.looks(), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
