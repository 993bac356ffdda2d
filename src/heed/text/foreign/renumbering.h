// SPDX-License-Identifier: Apache-2.0
// Vocabularies of Heed begin with padding, unknown, begin and end; those of others do not. An
// imported one is renumbered: its own four come first, the rest follows in its order, and the
// original numbers stay known.
#pragma once

#include <optional>
#include <vector>

#include "heed/text/token.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

// The original numbers of what Heed's first four tokens are; nothing where the vocabulary has none.
struct SpecialNumbers {
  std::optional<Token> padding{}, unknown{}, begin{}, end{};
  std::optional<Token> mask{};  // a piece like others, which fill takes for what is missing
};

class Renumbering {
 public:
  static constexpr Token kMadeUp = -1;

  Renumbering() = default;
  // `rows`: how many numbers there are. One that stands for several of the four is the first of
  // them in the order end, unknown, begin, padding, and the others are made up.
  Renumbering(Token rows, const SpecialNumbers& special);

  Token size() const { return static_cast<Token>(originals_.size()); }
  // Of a token, its original number; kMadeUp for a row that the vocabulary does not have.
  Token original(Token token) const { return originals_[static_cast<std::size_t>(token)]; }
  // Of an original number, its token.
  Token token(Token original) const { return tokens_[static_cast<std::size_t>(original)]; }

 private:
  std::vector<Token> originals_, tokens_;
};

}  // namespace heed::text

#pragma GCC visibility pop
