// SPDX-License-Identifier: Apache-2.0
// Labelled texts: what a line or a row of a classifier's data says, in each of the formats of
// labelled_form.h, and the tokens and classes made of it.
#pragma once  // public header

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/labelled_form.h"
#include "heed/text/labels.h"
#include "heed/text/pair_encoder.h"
#include "heed/text/pairs.h"
#include "heed/text/tokeniser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct LabelledText {
  std::vector<std::string> labels{};  // one per aspect
  std::string text{};
  std::string second{};

  bool operator==(const LabelledText&) const = default;
};

// What the line or row says: one text, none (a neutral tree, a row of empty fields), or many (the
// phrases of a tree). Line breaks inside a field are read as spaces. DataError that opens with
// `name` and the line's number for a label or text that is missing.
std::vector<LabelledText> labelled_texts(const LabelledForm& form, std::string_view line,
                                         const std::string& name, std::uint64_t number);

// How a text becomes one row of tokens.
enum class TextShape {
  line,      // its tokens, then kEnd
  framed,    // kBegin, its tokens, kEnd
  document,  // the tokens of each sentence (sentences.h), kEnd after each
};
// `words` gives each token's word in the whole text, -1 for kBegin and kEnd. Never empty.
Encoding encode_text(const Tokeniser& tokeniser, std::string_view text, TextShape shape);

// Lines of labelled texts as a stream of batches wants them: the second text is the target, classes
// are the labels.
struct LabelledEncoder {
  const Tokeniser* tokeniser;
  const Labels* labels;
  LabelledForm form{};
  TextShape shape = TextShape::line;
  LengthLimit limit{};  // without TooLong::split, which would give parts the whole's label
  std::string name{};   // of the file, for messages

  // DataError that names file and line for a label that is none of `labels`.
  EncodedPair operator()(const LinePair& line) const;
};

}  // namespace heed::text

#pragma GCC visibility pop
