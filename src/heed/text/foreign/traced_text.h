// SPDX-License-Identifier: Apache-2.0
// A text that is being rewritten and remembers, for each of its bytes, where in the line it came
// from: so the tokens of what it has become can still be shown over what was written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/white_space.h"

namespace heed::text {

// Bytes of the line.
struct Origin {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class TracedText {
 public:
  TracedText() = default;
  // The line itself: each character comes from its own bytes.
  explicit TracedText(std::string_view line);

  const std::string& text() const { return text_; }
  std::size_t size() const { return text_.size(); }
  // Where bytes [begin, end) came from; of none, the place between its neighbours.
  Origin origin(std::size_t begin, std::size_t end) const;

  void add(std::string_view text, Origin origin);
  // Bytes [begin, end) of another one as they are.
  void add(const TracedText& other, std::size_t begin, std::size_t end);

 private:
  std::string text_;
  std::vector<Origin> origins_;
};

// One step of normalising a line.
using TextStep = std::function<TracedText(const TracedText&)>;

// Each character written anew: `write` adds to `out` what becomes of the character at [begin, end).
using CharacterWriter =
    std::function<void(char32_t character, std::size_t begin, std::size_t end, TracedText& out)>;
TracedText rewritten(const TracedText& text, const CharacterWriter& write);

}  // namespace heed::text
