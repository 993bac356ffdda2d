// SPDX-License-Identifier: Apache-2.0
// The four first, then the rest.
#include "heed/text/foreign/renumbering.h"

#include <array>

namespace heed::text {

Renumbering::Renumbering(Token rows, const SpecialNumbers& special) {
  tokens_.assign(static_cast<std::size_t>(rows), kMadeUp);
  originals_.assign(kFirstPiece, kMadeUp);
  const auto place = [this](const std::optional<Token>& original, Token token) {
    if (!original || tokens_[static_cast<std::size_t>(*original)] != kMadeUp) return;
    tokens_[static_cast<std::size_t>(*original)] = token;
    originals_[static_cast<std::size_t>(token)] = *original;
  };
  place(special.end, kEnd);
  place(special.unknown, kUnknown);
  place(special.begin, kBegin);
  place(special.padding, kPadding);
  for (Token original = 0; original < rows; ++original) {
    Token& token = tokens_[static_cast<std::size_t>(original)];
    if (token != kMadeUp) continue;
    token = static_cast<Token>(originals_.size());
    originals_.push_back(original);
  }
}

}  // namespace heed::text
