// SPDX-License-Identifier: Apache-2.0
// Tests of event files: known checksums, and a reader of its own.
#include "heed/training/event_file.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heed::training {
namespace {

TEST(EventFile, HasTheChecksumsOfTheStandard) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);              // the check value of CRC-32C
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);    // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43u);  // likewise
}

template <typename Number>
Number number_at(const std::string& bytes, std::size_t at) {
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(number));
  return number;
}

std::uint32_t unmasked(std::uint32_t checksum) {
  const std::uint32_t turned = checksum - 0xa282ead8u;
  return turned << 15 | turned >> 17;
}

TEST(EventFile, HoldsOneScalarForEachPoint) {
  Curve curve;
  curve.add_training({300, 2.5});
  curve.add_validation("bleu", {300, 0.25});
  const std::string bytes = event_file(curve, 7.0);
  std::vector<std::string> events;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const auto length = number_at<std::uint64_t>(bytes, at);
    EXPECT_EQ(unmasked(number_at<std::uint32_t>(bytes, at + 8)), crc32c(bytes.substr(at, 8)));
    events.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(unmasked(number_at<std::uint32_t>(bytes, at + 12 + length)), crc32c(events.back()));
    at += 16 + length;
  }
  EXPECT_EQ(at, bytes.size());
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].substr(9),
            "\x1a\x0d"
            "brain.Event:2");
  // Time 7.0; step 300 as two bytes; a summary of one value: its tag, its float.
  EXPECT_EQ(number_at<double>(events[1], 1), 7.0);
  EXPECT_EQ(events[1].substr(9), std::string("\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04"
                                             "bleu\x15",
                                             14) +
                                     std::string("\x00\x00\x80\x3e", 4));
  EXPECT_NE(events[2].find("training loss"), std::string::npos);
}

}  // namespace
}  // namespace heed::training
