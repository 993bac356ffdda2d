// SPDX-License-Identifier: Apache-2.0
// Models by their type, and what they share.
#include "heed/text/foreign/piece_model.h"

#include <array>
#include <utility>

#include "heed/text/foreign/merges.h"
#include "heed/text/foreign/unigram.h"
#include "heed/text/foreign/wordpiece.h"
#include "heed/text/unicode.h"

namespace heed::text {
namespace {

// Bytes that are letters as they are; the other 68 are written as U+0100 and on, in order.
bool is_plain(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) ||
         (byte >= 174 && byte <= 255);
}

struct Letters {
  std::array<std::string, 256> written{};
  std::array<int, 512> bytes{};

  Letters() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const char32_t letter = is_plain(byte) ? static_cast<char32_t>(byte) : next++;
      append_utf8(written[static_cast<std::size_t>(byte)], letter);
      bytes[letter] = byte;
    }
  }
};

const Letters& letters() {
  static const Letters made;
  return made;
}

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

const std::string& letter_of(unsigned char byte) {
  return letters().written[byte];
}

int byte_of(char32_t letter) {
  return letter < letters().bytes.size() ? letters().bytes[letter] : -1;
}

std::string byte_piece(unsigned char byte) {
  return fmt::format("<0x{:02X}>", byte);
}

int byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const int high = hex_digit(piece[3]);
  const int low = hex_digit(piece[4]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

void PieceTable::add(std::string piece, std::int64_t number, const JsonPlace& place) {
  if (number < 0 || number >= kMostPieces) {
    place.fail("piece \"{}\" is number {}; it takes 0 to {}", piece, number, kMostPieces - 1);
  }
  if (piece.empty()) place.fail("piece {} has no text", number);
  const auto at = static_cast<std::size_t>(number);
  if (at >= pieces_.size()) pieces_.resize(at + 1);
  if (!pieces_[at].empty()) {
    place.fail("\"{}\" and \"{}\" are both number {}; each piece takes its own", pieces_[at], piece,
               number);
  }
  if (!numbers_.emplace(piece, static_cast<Token>(number)).second) {
    place.fail("piece \"{}\" is there twice", piece);
  }
  pieces_[at] = std::move(piece);
}

Token PieceTable::find(std::string_view piece) const {
  const auto found = numbers_.find(piece);
  return found == numbers_.end() ? kNone : found->second;
}

Token PieceTable::at(std::string_view piece, const JsonPlace& place) const {
  const Token found = find(piece);
  if (found == kNone) place.fail("\"{}\" is no piece of the vocabulary", piece);
  return found;
}

std::unique_ptr<PieceModel> piece_model(const JsonPlace& model, bool bytes) {
  // Old files leave the type of BPE out.
  const auto type = model.find("type");
  const std::string name = type ? type->text() : "BPE";
  if (name == "WordPiece") return std::make_unique<WordPiece>(model);
  if (name == "BPE") return std::make_unique<Merges>(model, bytes);
  if (name == "Unigram") return std::make_unique<Unigram>(model);
  model.fail("a model \"{}\"; Heed knows WordPiece, BPE and Unigram", name);
}

}  // namespace heed::text
