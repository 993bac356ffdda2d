// SPDX-License-Identifier: Apache-2.0
// The unigram model (Kudo 2018): the likeliest pieces that make up a text.
#pragma once

#include <utility>

#include "heed/text/foreign/piece_model.h"

namespace heed::text {

class Unigram final : public PieceModel {
 public:
  // `vocab` lists pieces with their log-probabilities, by number; where the model has `numbers`,
  // as Marian has, these say which number a piece has, and one that has none is unknown; what no
  // piece covers has a number too where its text is among them.
  explicit Unigram(const JsonPlace& model);

  TokeniserKind kind() const override { return TokeniserKind::unigram; }
  void encode(std::string_view part, std::vector<FoundPiece>& found) const override;

 private:
  struct Scored {
    std::string piece;
    double score = 0;
    Token number = 0;
  };
  // Pieces that begin the text at `at`, the shortest first.
  template <typename Take>
  void each_piece(std::string_view text, std::size_t at, const Take& take) const;

  std::vector<Scored> sorted_;  // by their bytes
  Token unknown_ = 0;
  double unknown_score_ = 0;
  bool byte_fallback_ = false;
  bool numbered_apart_ = false;
};

}  // namespace heed::text
