// SPDX-License-Identifier: Apache-2.0
// What tokenizer.json calls a pre_tokenizer: cuts a normalised text into parts, over whose edges no
// piece goes.
#pragma once

#include <functional>
#include <vector>

#include "heed/base/json.h"
#include "heed/text/foreign/traced_text.h"

namespace heed::text {

struct CutText {
  TracedText text{};
  std::vector<ByteSpan> parts{};
};
using TextCut = std::function<CutText(CutText)>;

struct TextCuts {
  std::vector<TextCut> cuts{};
  bool bytes = false;  // whether the model reads bytes, each written as a letter
};

// null, Sequence, BertPreTokenizer, ByteLevel, Split (a known pattern, Isolated), Digits,
// WhitespaceSplit, Metaspace. DataError with the place for any other.
TextCuts text_cuts(const JsonPlace& pre_tokenizer);

}  // namespace heed::text
