// SPDX-License-Identifier: Apache-2.0
#include "heed/text/fingerprint.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;
using test::put;
using test::TemporaryFolder;

TEST(Fingerprint, OfAKnownTextIsFnv1a) {
  const TemporaryFolder folder;
  put(folder / "f", "foobar");
  // The value published with the hash.
  EXPECT_EQ(fingerprint(folder / "f").to_string(), "6-85944171f73967e8");
  put(folder / "f", "");
  EXPECT_EQ(fingerprint(folder / "f").bytes, 0u);
}

TEST(Fingerprint, SeesChangesAtBothEndsAndInTheMiddle) {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{1000}, std::size_t{5'000'000}}) {
    const std::string text(size, 'a');
    put(folder / "f", text);
    const Fingerprint before = fingerprint(folder / "f");
    EXPECT_EQ(fingerprint(folder / "f"), before);
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
      std::string changed = text;
      changed[place] = 'b';
      put(folder / "f", changed);
      EXPECT_NE(fingerprint(folder / "f"), before) << place;
    }
    put(folder / "f", text + "a");
    EXPECT_NE(fingerprint(folder / "f"), before);
  }
}

TEST(Fingerprint, GoesThroughText) {
  const Fingerprint print{.bytes = 1'048'576, .hash = 0x0F3C2B9A5D7E6841};
  EXPECT_EQ(print.to_string(), "1048576-0f3c2b9a5d7e6841");
  EXPECT_EQ(Fingerprint::from_string(print.to_string()), print);
  for (const char* text : {"", "12", "12-", "x-0f3c2b9a5d7e6841", "12-0f3c2b9a5d7e684g"}) {
    EXPECT_TRUE(holds(message_of<DataError>([&] { Fingerprint::from_string(text); }),
                      "is not the fingerprint"));
  }
}

}  // namespace
}  // namespace heed::text
