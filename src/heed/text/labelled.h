// SPDX-License-Identifier: Apache-2.0
// Labelled texts: what a line of a classifier's data says, in each of the formats it may be
// written, and the tokens and classes made of it.
//
//   tsv       LABEL<TAB>TEXT, with several aspects a label each, for pairs then a second text:
//             good<TAB>bad<TAB>A quiet street, dirty rooms.
//   labelled  the first word is the label: 1 a gorgeous , witty film
//   trees     labels from 0 to 4 on every phrase (Socher 2013): (3 (2 a) (4 (3 witty) (2 film)));
//             0 and 1 are "negative", 3 and 4 "positive", 2 is left out
#pragma once  // public header

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/labels.h"
#include "heed/text/pair_encoder.h"
#include "heed/text/pairs.h"
#include "heed/text/tokeniser.h"

namespace heed::text {

enum class LabelledFormat { tsv, labelled, trees };
const std::vector<std::string>& labelled_format_names();

struct LabelledForm {
  LabelledFormat format = LabelledFormat::tsv;
  std::size_t aspects = 1;  // tsv: columns of labels
  bool second = false;      // tsv: whether a second text follows
  bool phrases = false;     // trees: every labelled phrase, or whole sentences only
};

struct LabelledText {
  std::vector<std::string> labels{};  // one per aspect
  std::string text{};
  std::string second{};

  bool operator==(const LabelledText&) const = default;
};

// What the line says: one text, none (a neutral tree), or many (the phrases of a tree). DataError
// that opens with `name` and the line's number for a label or text that is missing.
std::vector<LabelledText> labelled_texts(const LabelledForm& form, std::string_view line,
                                         const std::string& name, std::uint64_t number);

// How a text becomes one row of tokens.
enum class TextShape {
  line,      // its tokens, then kEnd
  document,  // the tokens of each sentence (sentences.h), kEnd after each
};
// `words` gives each token's word in the whole text, -1 for kEnd. Never empty.
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
