// SPDX-License-Identifier: Apache-2.0
// Labels: tokens made fit to be shown, so that nothing a token holds reaches a terminal or a
// picture as a command.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/exported.h"

namespace heed::insight {

// The token with the spaces at its ends, its line ends and control characters as signs ("␣", "␊",
// "␛"), without marks that turn the direction of what follows, and with "�" for bytes that are not
// UTF-8. An empty token is "∅".
std::string label_of(std::string_view token);
// The same for a line of text: spaces stay, and nothing stays nothing.
HEED_EXPORTED std::string label_of_line(std::string_view line);
HEED_EXPORTED std::vector<std::string> labels_of(std::span<const std::string> tokens);

// The characters as a reader counts them: combining marks stay with the letter before them.
std::vector<std::string> letters_of(std::string_view text);

// The word of these pieces, without the marks of subwords ("▁ca" "t" is "cat", "ca@@" "t" too).
std::string word_of(std::span<const std::string> pieces);

// A token that stands for no word of the text by the look of it: <s>, </s>, [CLS] and their like.
bool looks_special(std::string_view token);

}  // namespace heed::insight
