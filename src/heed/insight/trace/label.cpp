// SPDX-License-Identifier: Apache-2.0
// Unicode has a sign for each control character: U+2400 and those after it.
#include "heed/insight/trace/label.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/base/text.h"

namespace heed::insight {
namespace {

// One character of text that is well-formed.
struct Character {
  std::string_view bytes;
  char32_t code = 0;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const std::size_t size = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  char32_t code = size == 1 ? byte(0) : byte(0) & (0x7F >> size);
  for (std::size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3F);
  return {text.substr(at, size), code};
}

// U+2400 + n, three bytes of UTF-8.
std::string control_picture(char32_t n) {
  return {'\xE2', '\x90', static_cast<char>(0x80 + n)};
}

// Embeddings, overrides and isolates: they would turn what is after the token.
bool turns_direction(char32_t code) {
  return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0x200E || code == 0x200F || code == 0x061C;
}

std::string shown(const Character& character) {
  const char32_t code = character.code;
  if (code == 0xA0) return "␣";
  if (code < 0x20) return control_picture(code);
  if (code == 0x7F) return control_picture(0x21);
  if (code < 0xA0 && code > 0x7F) return "�";        // a second set of controls
  if (code == 0x2028 || code == 0x2029) return "␤";  // ends of lines and paragraphs
  if (turns_direction(code) || code == 0xFEFF) return "";
  return std::string(character.bytes);
}

bool joins_the_one_before(std::string_view character) {
  return display_width(character) == 0;
}

}  // namespace

std::string label_of_line(std::string_view line) {
  std::string label;
  while (!line.empty()) {
    const std::size_t good = std::min(invalid_utf8(line), line.size());
    for (std::size_t at = 0; at < good;) {
      const Character character = character_at(line, at);
      label += shown(character);
      at += character.bytes.size();
    }
    if (good == line.size()) break;
    label += "�";
    line.remove_prefix(good + 1);
  }
  return label;
}

std::string label_of(std::string_view token) {
  const std::string label = label_of_line(token);
  if (label.empty()) return "∅";
  const std::size_t first = std::min(label.find_first_not_of(' '), label.size());
  const std::size_t last = std::max(label.find_last_not_of(' ') + 1, first);
  std::string marked;
  for (std::size_t i = 0; i < first; ++i) marked += "␣";
  marked += label.substr(first, last - first);
  for (std::size_t i = last; i < label.size(); ++i) marked += "␣";
  return marked;
}

std::vector<std::string> labels_of(std::span<const std::string> tokens) {
  std::vector<std::string> labels;
  for (const std::string& token : tokens) labels.push_back(label_of(token));
  return labels;
}

std::vector<std::string> letters_of(std::string_view text) {
  std::vector<std::string> letters;
  if (invalid_utf8(text) != std::string_view::npos) return {label_of(text)};
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view bytes = character_at(text, at).bytes;
    if (letters.empty() || !joins_the_one_before(bytes)) letters.emplace_back();
    letters.back() += bytes;
    at += bytes.size();
  }
  return letters;
}

std::string word_of(std::span<const std::string> pieces) {
  constexpr std::string_view kBegin = "▁";
  constexpr std::string_view kGoesOn = "@@";
  std::string word;
  for (std::string_view piece : pieces) {
    if (word.empty() && piece.starts_with(kBegin)) piece.remove_prefix(kBegin.size());
    if (piece.ends_with(kGoesOn) && piece.size() > kGoesOn.size()) {
      piece.remove_suffix(kGoesOn.size());
    }
    word += piece;
  }
  return word;
}

bool looks_special(std::string_view token) {
  constexpr std::array kNames = {"s", "/s", "pad", "bos", "eos", "cls", "sep", "mask"};
  const bool angles = token.starts_with('<') && token.ends_with('>');
  const bool brackets = token.starts_with('[') && token.ends_with(']');
  if (!angles && !brackets) return false;
  const std::string name = lower(token.substr(1, token.size() - 2));
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace heed::insight
