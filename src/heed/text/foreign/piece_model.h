// SPDX-License-Identifier: Apache-2.0
// What tokenizer.json calls a model: from a part of a text to the pieces of a vocabulary.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/base/json.h"
#include "heed/text/tokeniser.h"
#include "heed/text/white_space.h"

namespace heed::text {

struct FoundPiece {
  Token number = 0;  // of the file
  ByteSpan span{};   // bytes of the part
};

// Pieces by number and by text.
class PieceTable {
 public:
  // DataError with the place for a number that is negative, too large, or taken, and for a piece
  // that is there twice.
  void add(std::string piece, std::int64_t number, const JsonPlace& place);
  static constexpr std::int64_t kMostPieces = 10'000'000;

  static constexpr Token kNone = -1;
  Token find(std::string_view piece) const;                        // kNone where there is none
  Token at(std::string_view piece, const JsonPlace& place) const;  // DataError where there is none
  // Empty where the number has no piece.
  const std::string& piece(Token number) const { return pieces_[static_cast<std::size_t>(number)]; }
  Token size() const { return static_cast<Token>(pieces_.size()); }  // the largest number and one
  std::size_t count() const { return numbers_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::vector<std::string> pieces_;
  std::unordered_map<std::string, Token, Hash, std::equal_to<>> numbers_;
};

class PieceModel {
 public:
  virtual ~PieceModel() = default;
  virtual TokeniserKind kind() const = 0;
  // Pieces of a part that is not empty, in their order.
  virtual void encode(std::string_view part, std::vector<FoundPiece>& found) const = 0;
  // The bytes that a piece stands for where it stands for no text: "<0x0A>", or a byte-level
  // piece; nothing for others.
  virtual bool spells_bytes() const { return false; }

  const PieceTable& pieces() const { return pieces_; }

 protected:
  PieceTable pieces_;
};

// WordPiece, BPE (over characters or, where `bytes`, over bytes), Unigram. DataError with the place
// for any other, and for what does not fit together.
std::unique_ptr<PieceModel> piece_model(const JsonPlace& model, bool bytes);

// The letter that stands for a byte in byte-level vocabularies, as UTF-8, and back; -1: for none.
const std::string& letter_of(unsigned char byte);
int byte_of(char32_t letter);
// "<0x0A>", and back; -1: it is no such piece.
std::string byte_piece(unsigned char byte);
int byte_of_piece(std::string_view piece);

}  // namespace heed::text
