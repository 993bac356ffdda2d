// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding (Sennrich 2016): characters or bytes, of which the pair that was learnt first
// is joined again and again.
#pragma once

#include <array>
#include <cstdint>

#include "heed/text/foreign/piece_model.h"

namespace heed::text {

class Merges final : public PieceModel {
 public:
  // A model with `merges`, of which the first goes first; or with `scores` of its pieces, of which
  // the highest does (SentencePiece).
  Merges(const JsonPlace& model, bool bytes);

  TokeniserKind kind() const override { return TokeniserKind::bpe; }
  void encode(std::string_view part, std::vector<FoundPiece>& found) const override;
  bool spells_bytes() const override { return bytes_; }

 private:
  struct Merge {
    std::uint32_t rank = 0;
    Token made = 0;
  };
  static std::uint64_t key(Token left, Token right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
           static_cast<std::uint32_t>(right);
  }
  void read_merges(const JsonPlace& merges);
  void read_scores(const JsonPlace& scores);
  // The part as single characters or bytes, unknown ones by bytes or as the unknown piece.
  void begin(std::string_view part, std::vector<FoundPiece>& symbols) const;
  void merge(std::vector<FoundPiece>& symbols) const;

  bool bytes_ = false;
  bool byte_fallback_ = false;
  bool fuse_unknown_ = false;
  bool whole_first_ = false;  // a part that is a piece is taken as it is
  Token unknown_ = PieceTable::kNone;
  std::array<Token, 256> byte_pieces_{};  // of letters, or of "<0x0A>"; kNone where one is missing
  std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace heed::text
