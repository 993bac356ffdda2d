// SPDX-License-Identifier: Apache-2.0
// WordPiece (Schuster 2012; Devlin 2019): of each word, the longest piece from the left.
#pragma once

#include "heed/text/foreign/piece_model.h"

namespace heed::text {

class WordPiece final : public PieceModel {
 public:
  explicit WordPiece(const JsonPlace& model);

  TokeniserKind kind() const override { return TokeniserKind::wordpiece; }
  void encode(std::string_view part, std::vector<FoundPiece>& found) const override;

 private:
  std::string prefix_;  // of pieces that do not begin a word
  std::size_t longest_word_ = 100;
  std::size_t longest_piece_ = 0;  // bytes
  Token unknown_ = PieceTable::kNone;
};

}  // namespace heed::text
