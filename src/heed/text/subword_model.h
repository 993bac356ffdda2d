// SPDX-License-Identifier: Apache-2.0
// A look into a SentencePiece .model file before its own library, which trusts it, may have it.
//
// The file is a protocol buffer. Read here: pieces = 1 {piece = 1, score = 2}, the trainer's
// settings = 2 {model_type = 3: 1 unigram, 2 bpe}, the normalisers = 3 and 5 {character map = 2}.
// The map is the size of a double-array trie (4 bytes, little-endian), the trie, and the texts its
// leaves point to, each ended by NUL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokeniser.h"

namespace heed::text {

// The kind of the model. DataError, beginning with `name`, for bytes that are no such file, a piece
// that is empty or holds NUL, a score that is no number, or a character map that would lead its
// reader outside itself.
TokeniserKind check_subword_model(std::string_view bytes, const std::string& name);

// DataError, beginning with `name`, for a character map that would lead its reader outside itself.
void check_character_map(std::string_view map, const std::string& name);

// What a .model file says, for those who read pieces themselves.
struct SubwordPiece {
  std::string text;
  float score = 0;
  // As the file numbers them.
  enum class Type { normal = 1, unknown, control, user, unused, byte };
  Type type = Type::normal;
};
struct SubwordModel {
  TokeniserKind kind = TokeniserKind::unigram;
  std::vector<SubwordPiece> pieces{};
  bool byte_fallback = false;
  std::string character_map{};
  bool add_dummy_prefix = true;
  bool remove_extra_whitespaces = true;
};
// DataError as of check_subword_model, and for a type of piece that there is not.
SubwordModel read_subword_model(std::string_view bytes, const std::string& name);

}  // namespace heed::text
