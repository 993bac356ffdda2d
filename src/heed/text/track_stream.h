// SPDX-License-Identifier: Apache-2.0
// A long text as an endless stream of windows: B tracks side by side, T tokens of each at a time
// (truncated backpropagation through time), in the order of the text or from places drawn by a
// seed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/text/token.h"

namespace heed::text {

// contiguous: the text is cut into B tracks, which are read window by window, so that a state can
// be carried from each window to the next. random: every window of every track begins anywhere.
enum class Windows { contiguous, random };
const std::vector<std::string>& windows_names();

struct TrackOptions {
  std::int64_t tracks = 20;  // B
  std::int64_t length = 35;  // T
  Windows windows = Windows::contiguous;
  std::uint64_t seed = 1;  // of random windows
};

struct TrackWindow {
  std::int64_t tracks = 0;
  std::int64_t length = 0;  // the last of an epoch may be shorter
  Tokens read{};            // [B,T]
  Tokens next{};            // [B,T], the token after each
  // Whether it resumes where the window before ended; if not, states start again.
  bool goes_on = false;
};

class TrackStream {
 public:
  // The tokens must outlive the stream. UsageError unless each track has at least two.
  TrackStream(std::span<const Token> tokens, const TrackOptions& options);

  TrackWindow next();
  // The number of the window that next() will give, from 0: the whole position.
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position) { position_ = position; }
  // Windows of one pass over the text; of random ones, as many as have as many tokens.
  std::uint64_t windows_per_epoch() const { return per_epoch_; }
  bool ended_epoch() const { return position_ > 0 && position_ % per_epoch_ == 0; }

 private:
  std::span<const Token> tokens_;
  TrackOptions options_;
  std::int64_t track_ = 0;  // tokens read of each track
  std::uint64_t per_epoch_ = 1;
  std::uint64_t position_ = 0;
};

}  // namespace heed::text
