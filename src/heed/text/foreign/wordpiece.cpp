// SPDX-License-Identifier: Apache-2.0
// Longest match from the left; a word with a place that no piece fits is unknown as a whole.
#include "heed/text/foreign/wordpiece.h"

#include <algorithm>

#include "heed/text/unicode.h"

namespace heed::text {

WordPiece::WordPiece(const JsonPlace& model) {
  const JsonPlace vocabulary = model.at("vocab");
  for (const auto& [piece, number] : vocabulary.object()) {
    const JsonPlace place(number, vocabulary.place());
    pieces_.add(piece, place.whole(0, PieceTable::kMostPieces), place);
    longest_piece_ = std::max(longest_piece_, piece.size());
  }
  const auto prefix = model.find("continuing_subword_prefix");
  prefix_ = prefix ? prefix->text() : "##";
  if (const auto most = model.find("max_input_chars_per_word")) {
    longest_word_ = static_cast<std::size_t>(most->whole(1, 1 << 20));
  }
  const auto unknown = model.find("unk_token");
  unknown_ = pieces_.at(unknown ? unknown->text() : "[UNK]", model);
}

void WordPiece::encode(std::string_view part, std::vector<FoundPiece>& found) const {
  const std::size_t before = found.size();
  const auto characters = static_cast<std::size_t>(std::ranges::count_if(
      part, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
  std::string candidate;
  std::size_t at = 0;
  while (characters <= longest_word_ && at < part.size()) {
    const std::string prefix = at > 0 ? prefix_ : std::string();
    std::size_t end = std::min(part.size(), at + longest_piece_);
    Token piece = PieceTable::kNone;
    for (; end > at; --end) {
      candidate.assign(prefix).append(part.substr(at, end - at));
      piece = pieces_.find(candidate);
      if (piece != PieceTable::kNone) break;
    }
    if (piece == PieceTable::kNone) break;
    found.push_back({piece, {at, end}});
    at = end;
  }
  if (at == part.size()) return;
  found.resize(before);
  found.push_back({unknown_, {0, part.size()}});
}

}  // namespace heed::text
