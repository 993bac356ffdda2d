// SPDX-License-Identifier: Apache-2.0
// Walks the trie of a character map.
#include "heed/text/foreign/character_map.h"

#include <algorithm>

#include "heed/text/subword_model.h"

namespace heed::text {
namespace {

constexpr std::uint32_t kLeaf = 1u << 31;

std::uint32_t offset_of(std::uint32_t unit) {
  return unit >> 10 << ((unit & 1u << 9) >> 6);
}
// Where a leaf has no byte of its own.
std::uint32_t label_of(std::uint32_t unit) {
  return unit & (kLeaf | 0xFF);
}
bool has_leaf(std::uint32_t unit) {
  return (unit >> 8 & 1) != 0;
}

}  // namespace

CharacterMap::CharacterMap(std::string_view bytes, const std::string& name) {
  check_character_map(bytes, name);
  if (bytes.empty()) return;
  const auto word = [&](std::size_t index) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[4 * index + i]);
    }
    return value;
  };
  const std::size_t count = word(0) / 4;
  units_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) units_.push_back(word(i + 1));
  texts_ = bytes.substr(4 + 4 * count);
}

CharacterMap::Match CharacterMap::longest(std::string_view text) const {
  if (units_.empty()) return {};
  Match match;
  std::size_t at = offset_of(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    at ^= byte;
    // What check_character_map has promised holds for units that are steps, not for every number.
    if (at >= units_.size() || label_of(units_[at]) != byte) break;
    const std::uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit)) continue;
    if (at >= units_.size()) break;
    const std::size_t place = units_[at] & ~kLeaf;
    if (place >= texts_.size()) break;
    const std::string_view rest = std::string_view(texts_).substr(place);
    match = {i + 1, rest.substr(0, std::min(rest.find('\0'), rest.size()))};
  }
  return match;
}

}  // namespace heed::text
