// SPDX-License-Identifier: Apache-2.0
#include "heed/base/base64.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Base64, WritesTheExamplesOfItsStandard) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64_encode("\xFB\xFF"), "+/8=");
}

TEST(Base64, ReadsWhatItWroteForEveryByteAndLength) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes) << bytes.size();
    bytes += static_cast<char>(i * 7 % 256);
  }
}

TEST(Base64, RefusesWhatIsNotBase64) {
  for (const char* text : {"A", "AB", "ABC", "A===", "====", "AB=C", "AB CD===", "Zm9v\n", "Zm9-",
                           "Zh==" /* bits left over */, "Zm9=", "=AAA"}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace heed
