// SPDX-License-Identifier: Apache-2.0
// Attention as other translators print it, line by line: Marian's soft alignments and Nematus's.
//
//   le chat </s> ||| 0.9,0.1,0 0.1,0.8,0.1 0,0.1,0.9         marian-decoder --alignment soft
//
//   0 ||| le chat ||| -0.5 ||| the cat ||| 3 3               nematus, one block per sentence
//   0.9 0.1 0.0
//   0.1 0.8 0.1
//   0.0 0.1 0.9
#pragma once  // public header

#include <string>
#include <string_view>

#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// A text, and what messages call it.
struct NamedText {
  std::string_view text;
  std::string name;
};

// One example per line, with the source sentences of a second text, which has a line for each.
// Tokens are what spaces separate; a row or column more than there are tokens is the end's. Pieces
// written as SentencePiece ("▁ca", "t") or subword-nmt ("ca@@", "t") does make words. DataError
// with file and line for anything else.
TraceDocument parse_marian(const NamedText& dump, const NamedText& sources);
// The source is in the dump.
TraceDocument parse_nematus(const NamedText& dump);

// Whether the first line looks like these.
bool looks_like_marian(std::string_view text);
bool looks_like_nematus(std::string_view text);

// The words of pieces, -1 for "</s>"; empty where each token is a word.
std::vector<int> words_of_pieces(const std::vector<std::string>& pieces);

}  // namespace heed::insight

#pragma GCC visibility pop
