// SPDX-License-Identifier: Apache-2.0
// What a translator keeps of a line while it works on it.
#pragma once

#include <string>

#include "heed/pipeline/translate/translator.h"
#include "heed/text/copying.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// A line, and what has become of it.
struct Translator::Line {
  std::string text{};
  text::Encoding source{};
  text::CopiedSource copied{};
  std::uint64_t document = 0;  // 0: it is between documents
  std::size_t nth = 0;         // of its document
  std::uint64_t stream = 0;    // of its random numbers
  text::Tokens written{};      // its best translation, its end included
  Translations translations{};
};

}  // namespace heed::pipeline
