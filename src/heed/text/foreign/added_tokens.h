// SPDX-License-Identifier: Apache-2.0
// Tokens that a vocabulary has been given beside its model: ends, masks, marks of a dialogue. A
// text has them where their whole content stands in it, if it may.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/json.h"
#include "heed/text/token.h"
#include "heed/text/white_space.h"

namespace heed::text {

struct AddedToken {
  Token number = 0;  // of the file
  std::string content{};
  bool special = false;
  // Whether it takes the white space before it and behind it.
  bool takes_before = false, takes_behind = false;
  bool whole_word = false;
};

// Of "added_tokens"; none where it is null.
std::vector<AddedToken> added_tokens(const JsonPlace& list);

// The parts of a text: tokens that were found, and what is between them.
struct TextPart {
  ByteSpan span{};
  const AddedToken* token = nullptr;
};
// The longest token at a place is found, from the left.
std::vector<TextPart> parts_at(std::string_view text, const std::vector<const AddedToken*>& tokens);

}  // namespace heed::text
