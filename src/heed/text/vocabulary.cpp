// SPDX-License-Identifier: Apache-2.0
// Vocabulary: counting pieces and looking them up.
#include "heed/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "heed/base/error.h"

namespace heed::text {
namespace {

constexpr std::array<std::string_view, kFirstPiece> kSpecialPieces = {"<pad>", "<unk>", "<s>",
                                                                      "</s>"};

}  // namespace

std::string_view special_piece(Token token) {
  return kSpecialPieces.at(static_cast<std::size_t>(token));
}

void require_token(Token token, Token size) {
  if (token >= 0 && token < size) return;
  throw UsageError("token {} is outside the vocabulary: its tokens are 0 to {}", token, size - 1);
}

bool Vocabulary::add(std::string piece, std::int64_t count) {
  if (std::ranges::count(kSpecialPieces, piece) > 0) return false;
  if (!tokens_.try_emplace(piece, size()).second) return false;
  entries_.push_back({std::move(piece), count});
  return true;
}

Token Vocabulary::find(std::string_view piece) const {
  const auto found = tokens_.find(piece);
  if (found != tokens_.end()) return found->second;
  const auto special = std::ranges::find(kSpecialPieces, piece);
  if (special == kSpecialPieces.end()) return kUnknown;
  return static_cast<Token>(special - kSpecialPieces.begin());
}

std::string_view Vocabulary::piece(Token token) const {
  require_token(token, size());
  if (token < kFirstPiece) return special_piece(token);
  return entries_[static_cast<std::size_t>(token - kFirstPiece)].piece;
}

std::string_view piece_of(const Vocabulary& vocabulary, Token token,
                          std::span<const std::string> own) {
  const auto place = static_cast<std::size_t>(std::max(token - vocabulary.size(), 0));
  return token >= vocabulary.size() && place < own.size() ? std::string_view(own[place])
                                                          : vocabulary.piece(token);
}

void PieceCounter::add(std::string_view piece) {
  ++counts_[std::string(piece)];
}

Vocabulary PieceCounter::most_frequent(const TokeniserOptions& options) const {
  if (options.size <= kFirstPiece) {
    throw UsageError("a vocabulary of {} has no room for text: {} tokens are special; give more",
                     options.size, kFirstPiece);
  }
  std::vector<std::pair<std::string_view, std::int64_t>> pieces;
  for (const auto& [piece, count] : counts_) {
    if (count >= options.least_count) pieces.emplace_back(piece, count);
  }
  if (pieces.empty()) {
    throw UsageError("a vocabulary needs text: no piece of the lines comes {} times or more",
                     options.least_count);
  }
  std::ranges::sort(pieces, [](const auto& a, const auto& b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  Vocabulary vocabulary;
  for (const auto& [piece, count] : pieces) {
    if (vocabulary.size() == options.size) break;
    vocabulary.add(std::string(piece), count);
  }
  return vocabulary;
}

}  // namespace heed::text
