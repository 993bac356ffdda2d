// SPDX-License-Identifier: Apache-2.0
// Vocabularies in the forms in which models are published, each made a tokenizer.json of.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/json.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

// Each throws DataError with file and place for what is no such file.

// vocab.txt: a piece on each line, whose number is its line's, from 0 (BERT).
Json parts_of_lines(std::string_view vocabulary, const std::string& name, bool lower_case);
// vocab.json and merges.txt (GPT-2, RoBERTa).
Json parts_of_merges(std::string_view vocabulary, const std::string& name, std::string_view merges,
                     const std::string& merges_name, bool space_in_front);
// A SentencePiece .model file, numbered by itself (LLaMA 2, T5).
Json parts_of_subwords(std::string_view model, const std::string& name);
// The same, numbered by vocab.json; a language code in front of a text is one piece (Marian).
Json parts_of_subwords(std::string_view model, const std::string& name, std::string_view numbers,
                       const std::string& numbers_name);

// Whether the post_processor of a tokenizer.json puts something in front of a text and behind it.
struct TextFrame {
  std::string begin{}, end{};  // the tokens' contents; empty: none
};
TextFrame text_frame(const JsonPlace& tokenizer);

}  // namespace heed::text

#pragma GCC visibility pop
