// SPDX-License-Identifier: Apache-2.0
// The tokens BLEU counts: cut as mteval-v13a cuts, at white space, or character by character.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// v13a: the evaluations of WMT; punctuation is cut off except where it is inside numbers.
// none: white space only, for text that is tokenised already. characters: every one a token.
enum class BleuTokens { v13a, none, characters };

// As the signature and the command line name them.
const std::vector<std::string>& bleu_tokens_names();
std::string_view name_of(BleuTokens tokens);

std::vector<std::string> bleu_tokens(std::string_view line, BleuTokens tokens);

}  // namespace heed::metrics

#pragma GCC visibility pop
