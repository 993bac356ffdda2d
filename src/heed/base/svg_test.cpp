// SPDX-License-Identifier: Apache-2.0
#include "heed/base/svg.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Svg, WritesTextThatCannotBecomeATag) {
  EXPECT_EQ(svg_escaped("a < b & c"), "a &lt; b &amp; c");
  EXPECT_EQ(svg_text(1, 2.25, "<s>", "end"),
            "<text x=\"1.0\" y=\"2.2\" text-anchor=\"end\">&lt;s></text>\n");
}

}  // namespace
}  // namespace heed
