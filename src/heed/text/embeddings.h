// SPDX-License-Identifier: Apache-2.0
// Pretrained word vectors in the text form of word2vec and GloVe, for the pieces of a tokeniser.
#pragma once  // public header

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "heed/text/token.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct Embeddings {
  std::size_t width = 0;
  std::uint64_t read = 0;       // vectors in the file
  Token found = 0;              // tokens that have one
  std::vector<Token> rows{};    // [V], the row of each token in `values`; -1: not found
  std::vector<float> values{};  // [found,width]

  // Of that token; empty when none was found.
  std::span<const float> vector(Token token) const;
};

// Each line is a word and its numbers, separated by spaces; a first line of two whole numbers
// (count, width) is a header. The word of a piece is the piece, or what follows its ▁. Of several
// vectors for one token that of the whole piece comes first, then the first in the file; words with
// spaces in them, which GloVe has, are passed over. DataError with file and line for rows of
// another width, for what is not a finite number, and for a file without vectors.
Embeddings read_embeddings(const std::filesystem::path& path, const Tokeniser& tokeniser);

}  // namespace heed::text

#pragma GCC visibility pop
