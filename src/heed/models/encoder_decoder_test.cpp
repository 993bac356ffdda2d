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

}  // namespace
}  // namespace heed::models
