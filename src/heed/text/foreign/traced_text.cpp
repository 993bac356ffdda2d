// SPDX-License-Identifier: Apache-2.0
// Bytes with their origins.
#include "heed/text/foreign/traced_text.h"

#include <algorithm>

#include "heed/text/unicode.h"

namespace heed::text {

TracedText::TracedText(std::string_view line) : text_(line) {
  origins_.reserve(line.size());
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = at;
    next_code_point(line, at);
    origins_.insert(origins_.end(), at - begin,
                    {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)});
  }
}

Origin TracedText::origin(std::size_t begin, std::size_t end) const {
  if (begin < end) return {origins_[begin].begin, origins_[end - 1].end};
  const std::uint32_t place = begin > 0 ? origins_[begin - 1].end : 0;
  return {place, place};
}

void TracedText::add(std::string_view text, Origin origin) {
  text_ += text;
  origins_.insert(origins_.end(), text.size(), origin);
}

void TracedText::add(const TracedText& other, std::size_t begin, std::size_t end) {
  text_.append(other.text_, begin, end - begin);
  origins_.insert(origins_.end(), other.origins_.begin() + static_cast<std::ptrdiff_t>(begin),
                  other.origins_.begin() + static_cast<std::ptrdiff_t>(end));
}

TracedText rewritten(const TracedText& text, const CharacterWriter& write) {
  TracedText out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_code_point(text.text(), at);
    write(character, begin, at, out);
  }
  return out;
}

}  // namespace heed::text
