// SPDX-License-Identifier: Apache-2.0
// Windows are a function of their number alone, so that a position is one number.
#include "heed/text/track_stream.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::text {

const std::vector<std::string>& windows_names() {
  static const std::vector<std::string> names = {"contiguous", "random"};
  return names;
}

TrackStream::TrackStream(std::span<const Token> tokens, const TrackOptions& options)
    : tokens_(tokens), options_(options) {
  if (options_.tracks < 1 || options_.length < 1) {
    throw UsageError("windows: {} tracks of {} tokens; both take 1 or more", options_.tracks,
                     options_.length);
  }
  const auto count = static_cast<std::int64_t>(tokens_.size());
  const std::int64_t wanted = options_.windows == Windows::random ? options_.length + 1 : 2;
  const std::int64_t each = options_.windows == Windows::random ? count : count / options_.tracks;
  if (each < wanted) {
    throw UsageError(
        "windows: a text of {} tokens is too short for {} tracks with windows of {}; give more "
        "text, or fewer and shorter ones",
        count, options_.tracks, options_.length);
  }
  track_ = (count - 1) / options_.tracks;
  const std::int64_t windows = (track_ + options_.length - 1) / options_.length;
  per_epoch_ = static_cast<std::uint64_t>(std::max<std::int64_t>(windows, 1));
}

TrackWindow TrackStream::next() {
  const bool random = options_.windows == Windows::random;
  const std::uint64_t number = position_++;
  const auto first = static_cast<std::int64_t>(number % per_epoch_) * options_.length;
  TrackWindow window{.tracks = options_.tracks,
                     .length = random ? options_.length : std::min(options_.length, track_ - first),
                     .goes_on = !random && first > 0};
  const auto places =
      static_cast<std::uint64_t>(tokens_.size()) - static_cast<std::uint64_t>(options_.length);
  Random draw(options_.seed, number);
  const auto length = static_cast<std::size_t>(window.length);
  for (std::int64_t track = 0; track < options_.tracks; ++track) {
    const auto begin = static_cast<std::size_t>(
        random ? static_cast<std::int64_t>(draw.integer(places)) : track * track_ + first);
    const std::span<const Token> mine = tokens_.subspan(begin, length + 1);
    window.read.insert(window.read.end(), mine.begin(), mine.end() - 1);
    window.next.insert(window.next.end(), mine.begin() + 1, mine.end());
  }
  return window;
}

}  // namespace heed::text
