// SPDX-License-Identifier: Apache-2.0
#include "heed/text/track_stream.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/base/error.h"

namespace heed::text {
namespace {

Tokens counted(std::size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), 100);
  return tokens;
}

TEST(TrackStream, ReadsEveryTrackFromFrontToBackOnce) {
  const Tokens text = counted(23);  // two tracks of 11, each with a token after it
  TrackStream stream(text, {.tracks = 2, .length = 4});
  EXPECT_EQ(stream.windows_per_epoch(), 3u);
  const TrackWindow first = stream.next();
  EXPECT_EQ(first.read, (Tokens{100, 101, 102, 103, 111, 112, 113, 114}));
  EXPECT_EQ(first.next, (Tokens{101, 102, 103, 104, 112, 113, 114, 115}));
  EXPECT_FALSE(first.goes_on);
  EXPECT_TRUE(stream.next().goes_on);
  EXPECT_FALSE(stream.ended_epoch());
  const TrackWindow last = stream.next();
  EXPECT_EQ(last.length, 3);
  EXPECT_EQ(last.next, (Tokens{109, 110, 111, 120, 121, 122}));
  EXPECT_TRUE(stream.ended_epoch());
  EXPECT_EQ(stream.next().read, first.read);
}

TEST(TrackStream, DrawsRandomWindowsByTheirNumber) {
  const Tokens text = counted(50);
  const TrackOptions options{.tracks = 3, .length = 5, .windows = Windows::random, .seed = 4};
  TrackStream stream(text, options);
  stream.next();
  const TrackWindow second = stream.next();
  EXPECT_FALSE(second.goes_on);
  for (std::size_t i = 0; i < second.read.size(); ++i) {
    EXPECT_EQ(second.next[i], second.read[i] + 1);
  }
  TrackStream again(text, options);
  again.seek(1);
  EXPECT_EQ(again.next().read, second.read);
  bool first = false, last = false;
  for (int i = 0; i < 200; ++i) {
    const TrackWindow window = stream.next();
    for (std::size_t track = 0; track < 3; ++track) {
      first = first || window.read[track * 5] == 100;
      last = last || window.next[track * 5 + 4] == 149;
    }
  }
  EXPECT_TRUE(first && last) << "both ends of the text come up";
}

TEST(TrackStream, RefusesATextThatIsTooShort) {
  const Tokens text = counted(5);
  EXPECT_THROW(TrackStream(text, {.tracks = 3, .length = 2}), UsageError);
  EXPECT_THROW(TrackStream(text, {.tracks = 1, .length = 5, .windows = Windows::random}),
               UsageError);
  EXPECT_NO_THROW(TrackStream(text, {.tracks = 2, .length = 9}));
}

}  // namespace
}  // namespace heed::text
