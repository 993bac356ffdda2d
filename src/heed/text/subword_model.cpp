// SPDX-License-Identifier: Apache-2.0
// A look into a SentencePiece .model file: fields of the wire format, then the character map.
#include "heed/text/subword_model.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "heed/base/error.h"

namespace heed::text {
namespace {

[[noreturn]] void fail(const std::string& name, std::string_view what) {
  throw DataError(
      "{}: is not a tokeniser that Heed can read: {}; give a vocabulary of Heed or a "
      "SentencePiece .model file",
      name, what);
}

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;     // of a number
  std::string_view content{};  // of text, bytes or a message
};

// The fields of one message, one after the other.
class Fields {
 public:
  Fields(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = {.number = key >> 3};
    switch (key & 7) {
      case 0:
        field.value = varint();
        break;
      case 1:
        field.value = fixed(8);
        break;
      case 2:
        field.content = take(varint());
        break;
      case 5:
        field.value = fixed(4);
        break;
      default:
        fail(name_, "its bytes are not a protocol buffer");
    }
    return true;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) fail(name_, "its bytes are not a protocol buffer, or end too early");
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    fail(name_, "its bytes are not a protocol buffer");
  }
  std::uint64_t fixed(std::size_t size) {
    const std::string_view bytes = take(size);
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
};

std::uint32_t word_at(std::string_view bytes, std::size_t index) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[4 * index + i]);
  }
  return value;
}

void check_piece(std::string_view message, const std::string& name) {
  std::string_view piece;
  Field field;
  for (Fields fields(message, name); fields.next(field);) {
    if (field.number == 1) piece = field.content;
    if (field.number == 2 &&
        !std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)))) {
      fail(name, "the score of a piece is not a number");
    }
  }
  if (piece.empty() || piece.find('\0') != piece.npos) fail(name, "a piece has no text");
}

SubwordPiece piece_from(std::string_view message, const std::string& name) {
  SubwordPiece piece;
  Field field;
  for (Fields fields(message, name); fields.next(field);) {
    if (field.number == 1) piece.text = field.content;
    if (field.number == 2)
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number != 3) continue;
    if (field.value < 1 || field.value > 6) fail(name, "a piece is of no type that there is");
    piece.type = static_cast<SubwordPiece::Type>(field.value);
  }
  return piece;
}

}  // namespace

// A step of the trie goes from unit i to (i XOR offset) XOR byte: inside one block of 256 units, so
// that all bytes are safe when the block is inside the trie. A leaf, marked by the highest bit,
// holds a place in the texts.
void check_character_map(std::string_view map, const std::string& name) {
  if (map.empty()) return;
  const std::string_view problem = "its character map is damaged";
  if (map.size() < 4) fail(name, problem);
  const std::uint32_t trie_bytes = word_at(map, 0);
  if (trie_bytes > map.size() - 4 || trie_bytes % 1024 != 0 || trie_bytes == 0) fail(name, problem);
  const std::string_view trie = map.substr(4, trie_bytes);
  const std::string_view texts = map.substr(4 + trie_bytes);
  if (!texts.ends_with('\0')) fail(name, problem);
  const std::size_t units = trie.size() / 4;
  constexpr std::uint32_t kLeaf = 1u << 31;
  for (std::size_t i = 0; i < units; ++i) {
    const std::uint32_t unit = word_at(trie, i);
    if ((unit & kLeaf) != 0) {
      if ((unit & ~kLeaf) >= texts.size()) fail(name, problem);
    } else {
      const std::uint32_t offset = unit >> 10 << ((unit & 1u << 9) >> 6);
      if (((i ^ offset) | 0xFF) >= units) fail(name, problem);
    }
  }
}

SubwordModel read_subword_model(std::string_view bytes, const std::string& name) {
  SubwordModel model{.kind = check_subword_model(bytes, name)};
  Field part;
  for (Fields parts(bytes, name); parts.next(part);) {
    if (part.number == 1) model.pieces.push_back(piece_from(part.content, name));
    if (part.number != 2 && part.number != 3) continue;
    Field field;
    for (Fields fields(part.content, name); fields.next(field);) {
      if (part.number == 2 && field.number == 35) model.byte_fallback = field.value != 0;
      if (part.number == 2) continue;
      if (field.number == 2) model.character_map = field.content;
      if (field.number == 3) model.add_dummy_prefix = field.value != 0;
      if (field.number == 4) model.remove_extra_whitespaces = field.value != 0;
      if (field.number == 5 && field.value == 0) fail(name, "it does not mark spaces");
    }
  }
  return model;
}

TokeniserKind check_subword_model(std::string_view bytes, const std::string& name) {
  std::uint64_t type = 1;
  std::uint64_t pieces = 0;
  Field part;
  for (Fields parts(bytes, name); parts.next(part);) {
    if (part.number == 1) {
      check_piece(part.content, name);
      ++pieces;
    }
    Field field;
    for (Fields fields(part.number == 2 || part.number == 3 || part.number == 5
                           ? part.content
                           : std::string_view(),
                       name);
         fields.next(field);) {
      if (part.number == 2 && field.number == 3) type = field.value;
      if (part.number != 2 && field.number == 2) check_character_map(field.content, name);
    }
  }
  if (pieces == 0) fail(name, "it has no pieces");
  if (type == 1) return TokeniserKind::unigram;
  if (type == 2) return TokeniserKind::bpe;
  fail(name, "its model is neither bpe nor unigram");
}

}  // namespace heed::text
