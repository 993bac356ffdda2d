// SPDX-License-Identifier: Apache-2.0
// One pass over the bytes of a line, by the class of each.
#include "heed/text/line_facts.h"

#include <array>

#include "heed/text/white_space.h"

namespace heed::text {
namespace {

enum Class : unsigned char { kLetter, kSpace, kControl, kLead };

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (int byte = 0; byte < 256; ++byte) {
    Class& mine = classes[static_cast<std::size_t>(byte)];
    mine = byte >= 0x80 ? kLead : byte < 0x20 || byte == 0x7F ? kControl : kLetter;
    if (byte == ' ' || (byte >= 9 && byte <= 13)) mine = kSpace;
  }
  return classes;
}();

// Bytes of the character beyond ASCII that begins here; 0 where it is not well formed (overlong
// forms and surrogates are not).
std::size_t sequence_bytes(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t ahead) {
    return at + ahead < text.size() ? static_cast<unsigned char>(text[at + ahead]) : 0;
  };
  const auto follows = [&](std::size_t ahead) { return (byte(ahead) & 0xC0) == 0x80; };
  const int first = byte(0);
  if (first < 0xC2 || first > 0xF4 || !follows(1)) return 0;
  if (first < 0xE0) return 2;
  const int second = byte(1);
  if (first < 0xF0) {
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
    return follows(2) ? 3 : 0;
  }
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return follows(2) && follows(3) ? 4 : 0;
}

}  // namespace

LineFacts facts_of(std::string_view line) {
  LineFacts facts;
  bool inside = false;  // a word
  const auto step = [&](bool space) {
    facts.words += !space && !inside ? 1 : 0;
    inside = !space;
    ++facts.characters;
  };
  for (std::size_t at = 0; at < line.size();) {
    const Class mine = kClasses[static_cast<unsigned char>(line[at])];
    if (mine != kLead) {
      facts.control = facts.control || mine == kControl;
      step(mine == kSpace);
      ++at;
      continue;
    }
    const std::size_t bytes = sequence_bytes(line, at);
    if (bytes == 0) {
      if (facts.bad == line.npos) facts.bad = at;
      step(false);
      ++at;
      continue;
    }
    const bool space = space_bytes(line, at) > 0;
    const auto second = static_cast<unsigned char>(line[at + 1]);
    if (line[at] == '\xC2' && second < 0xA0 && !space) facts.control = true;
    if (line[at] == '\xEF' && line.substr(at, 3) == "\xEF\xBF\xBD") facts.replaced = true;
    step(space);
    at += bytes;
  }
  return facts;
}

}  // namespace heed::text
