// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/text_encoder_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::pipeline {
namespace {

TEST(EncoderOptions, BecomeThoseOfAnEncoder) {
  EncoderOptions mine;
  Options list;
  mine.declare_encoder(list);
  list.read_toml_text("encoder = \"cnn\"\nfilters = [\"3\", \"5\"]\nhidden = 12\nlayers = 4\n",
                      "test");
  const models::TextEncoderOptions made = mine.to_options(77);
  EXPECT_EQ(made.vocabulary, 77);
  EXPECT_EQ(made.kind, models::TextEncoderKind::cnn);
  EXPECT_EQ(made.widths, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(made.hidden, 12);
  EXPECT_EQ(made.stack.layers, 4);
  EXPECT_EQ(mine.kind_text(), "convolutions over 3, 5 words");
}

TEST(EncoderOptions, RefuseWidthsThatAreNoNumbers) {
  EncoderOptions mine;
  mine.filters = {"three"};
  EXPECT_THROW(mine.to_options(10), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
