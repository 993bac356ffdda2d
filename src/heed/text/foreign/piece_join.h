// SPDX-License-Identifier: Apache-2.0
// What tokenizer.json calls a decoder: pieces put together to a text, each with its place in it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"
#include "heed/text/white_space.h"

namespace heed::text {

// How pieces become text.
struct PieceJoin {
  enum class Kind {
    words,   // WordPiece: a space before each piece that is no continuation
    bytes,   // ByteLevel: letters are bytes
    marked,  // Metaspace and SentencePiece: the mark is a space; <0x0A> is a byte
  };
  Kind kind = Kind::marked;
  std::string prefix = "##";  // words: of continuations
  bool tidy = true;           // words: no space before a full stop
  std::string mark = "\u2581";
  bool first_space = false;  // marked: whether a space in front stays
};

// WordPiece, ByteLevel, Metaspace, and Sequence of Replace, ByteFallback, Fuse, Strip; null joins
// as they are. DataError with the place for any other.
PieceJoin piece_join(const JsonPlace& decoder);

struct JoinedPieces {
  std::string text{};
  std::vector<ByteSpan> spans{};
};
// Bytes that are no UTF-8 show as U+FFFD. A piece that stands for itself, such as the sign of an
// unknown word, is `plain`.
struct JoinedPiece {
  std::string_view text{};
  bool plain = false;
};
JoinedPieces joined_pieces(const PieceJoin& join, std::span<const JoinedPiece> pieces);

}  // namespace heed::text
