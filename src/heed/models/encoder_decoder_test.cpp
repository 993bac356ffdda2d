// SPDX-License-Identifier: Apache-2.0
#include "heed/models/encoder_decoder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::models {
namespace {

Sequences two_rows() {
  return {Ids::of({2, 4}, {7, 8, 9, 3, 5, 3, 0, 0}), Ids::of({2}, {4, 2})};
}

TEST(EncoderDecoder, TokenPlacesLeavePaddingOut) {
  EXPECT_EQ(token_places(two_rows()).values(), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(packed_targets(two_rows()).values(), (std::vector<std::int32_t>{7, 8, 9, 3, 5, 3}));
}

TEST(EncoderDecoder, ADecoderReadsTheTargetOneStepLate) {
  EXPECT_EQ(shifted(two_rows().ids).values(), (std::vector<std::int32_t>{2, 7, 8, 9, 2, 5, 3, 0}));
}

TEST(EncoderDecoder, SequencesThatDoNotFitAreRefusedWithTheirSizes) {
  EXPECT_NO_THROW(check_sequences("test", two_rows(), 4));
  EXPECT_EQ(test::message_of<UsageError>([] { check_sequences("test", two_rows(), 3); }),
            "test: a sequence of 4 tokens, its end included, and 3 positions were learned "
            "(--longest); give shorter ones, in training by --max-length 2 at most, or train with "
            "more positions");
  EXPECT_THROW(check_sequences("test", {two_rows().ids, Ids::of({2}, {4, 0})}, 0), UsageError);
  EXPECT_THROW(check_sequences("test", {two_rows().ids, Ids::of({2}, {5, 1})}, 0), UsageError);
  EXPECT_THROW(check_sequences("test", {two_rows().ids, Ids::of({1}, {4})}, 0), UsageError);
}

TEST(EncoderDecoder, PaddingOfASourceIsNothingToCopy) {
  const std::vector<text::Tokens> rows = {{7, 8, 3}, {3}};
  const text::PairBatch batch{.source = text::pad_rows(rows), .copies = text::pad_rows(rows)};
  EXPECT_EQ(source_of(batch).copies.values(), (std::vector<std::int32_t>{7, 8, 3, 3, -1, -1}));
}

TEST(EncoderDecoder, StatesThatAreDetachedHaveNoGraph) {
  const auto grown = [](const Shape& shape) {
    return Variable::leaf(Tensor::full(shape, 1)) * Real{2};
  };
  DecoderState state{.step = 2, .attentional = grown({1, 2})};
  state.recurrent.push_back({grown({1, 3}), grown({1, 3})});
  const Variable keys = grown({1, 1, 2, 2}), values = grown({1, 1, 2, 2});
  state.history.push_back({.keys = keys, .values = values, .projected = {{keys}}, .data = {}});
  attention::AttentionState past;
  past.coverage = grown({1, 1, 2});
  state.attentions.push_back(past);
  const DecoderState detached = state.detached();
  EXPECT_EQ(detached.step, 2);
  for (const Variable& one :
       {detached.attentional, detached.recurrent[0].h, detached.recurrent[0].c,
        detached.history[0].keys, detached.history[0].values, detached.history[0].projected[0][0],
        detached.attentions[0].coverage}) {
    ASSERT_TRUE(one.defined());
    EXPECT_FALSE(one.needs_gradient());
    EXPECT_EQ(one.value().values()[0], 2);
  }
}

TEST(EncoderDecoder, StatesKeepTheRowsThatSurvive) {
  DecoderState state{.step = 3, .attentional = Tensor::of({2, 2}, {1, 2, 3, 4})};
  state.recurrent.push_back({Tensor::of({2, 1}, {5, 6}), {}});
  const DecoderState kept = state.reordered(Ids::of({3}, {1, 1, 0}));
  EXPECT_EQ(kept.step, 3);
  EXPECT_EQ(kept.attentional.value().values(), (std::vector<Real>{3, 4, 3, 4, 1, 2}));
  EXPECT_EQ(kept.recurrent[0].h.value().values(), (std::vector<Real>{6, 6, 5}));
  EXPECT_FALSE(kept.recurrent[0].c.defined());
}

}  // namespace
}  // namespace heed::models
