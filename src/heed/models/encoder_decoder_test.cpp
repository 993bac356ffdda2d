// SPDX-License-Identifier: Apache-2.0
#include "heed/models/encoder_decoder.h"

#include <gtest/gtest.h>

namespace heed::models {
namespace {

TEST(EncoderDecoder, PaddingOfASourceIsNothingToCopy) {
  const std::vector<text::Tokens> rows = {{7, 8, 3}, {3}};
  const text::PairBatch batch{.source = text::pad_rows(rows), .copies = text::pad_rows(rows)};
  EXPECT_EQ(source_of(batch).copies.values(), (std::vector<std::int32_t>{7, 8, 3, 3, -1, -1}));
}

}  // namespace
}  // namespace heed::models
