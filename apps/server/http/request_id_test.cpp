// SPDX-License-Identifier: Apache-2.0
#include "server/http/request_id.h"

#include <gtest/gtest.h>

#include <set>

namespace heed::server {
namespace {

TEST(RequestIds, AreTakenWhenTheyAreShortAndPlain) {
  for (const char* right : {"1", "7f9c-42", "a/b:c@d", "00-4bf92f3577b34da6a3ce929d0e0e4736-01"}) {
    EXPECT_TRUE(is_request_id(right)) << right;
  }
  EXPECT_TRUE(is_request_id(std::string(kLongestRequestId, 'a')));
  EXPECT_FALSE(is_request_id(std::string(kLongestRequestId + 1, 'a')));
  for (const char* wrong : {"", "two words", "a\"b", "a\\b", "a\nb", "\xc3\xa9", "a\x7f", "a%0d"}) {
    EXPECT_FALSE(is_request_id(wrong)) << wrong;
  }
}

TEST(RequestIds, AreNeverMadeTwice) {
  std::set<std::string> made;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = new_request_id();
    EXPECT_TRUE(is_request_id(id)) << id;
    EXPECT_EQ(id.size(), 24u);
    EXPECT_TRUE(made.insert(id).second) << id;
  }
}

}  // namespace
}  // namespace heed::server
