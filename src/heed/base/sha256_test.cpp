// SPDX-License-Identifier: Apache-2.0
// SHA-256: the examples of the standard.
#include "heed/base/sha256.h"

#include <gtest/gtest.h>

#include <string_view>

namespace heed {
namespace {

std::string digest_of(std::string_view text) {
  return sha256(std::as_bytes(std::span(text)));
}

TEST(Sha256, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(digest_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest_of(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace heed
