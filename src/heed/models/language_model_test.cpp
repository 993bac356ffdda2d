// SPDX-License-Identifier: Apache-2.0
#include "heed/models/language_model.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::models {
namespace {

// Foresees the token that was read, at most four of them.
class Echo final : public LanguageModel {
 public:
  void visit(nn::ParameterVisitor&) override {}
  std::int64_t vocabulary() const override { return 3; }
  std::int64_t longest() const override { return 4; }
  DecoderState start(std::int64_t) const override { return {}; }
  Reading read(const DecoderState& state, const Ids& tokens, const Call&) const override {
    check_tokens("echo", *this, state, tokens);
    Tensor hidden = Tensor::zeros({tokens.size(0), tokens.size(1), 3});
    for (std::int64_t i = 0; i < tokens.size(); ++i) {
      hidden.mutable_data()[3 * i + tokens.data()[i]] = 1;
    }
    DecoderState next = state;
    next.step += tokens.size(1);
    return {hidden, next};
  }
  Variable logits(const Variable& hidden) const override { return hidden; }
};

TEST(LanguageModel, StepsByReadingOneTokenOfEachTrack) {
  const Echo echo;
  const Step step = echo.step(echo.start(2), Ids::of({2}, {2, 0}), {});
  EXPECT_EQ(step.logits.value().values(), (std::vector<Real>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(step.state.step, 1);
}

TEST(LanguageModel, SaysHowManyTokensHaveRoom) {
  const Echo echo;
  const DecoderState three = echo.read(echo.start(1), Ids::of({1, 3}, {0, 1, 2}), {}).state;
  EXPECT_NO_THROW(echo.step(three, Ids::of({1}, {1}), {}));
  EXPECT_THROW(echo.read(three, Ids::of({1, 2}, {1, 1}), {}), UsageError);
  EXPECT_THROW(echo.read(three, Ids::of({1}, {1}), {}), UsageError);
}

}  // namespace
}  // namespace heed::models
