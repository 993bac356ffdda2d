// SPDX-License-Identifier: Apache-2.0
// Bounds in words.
#include "heed/pipeline/text_bounds.h"

#include <algorithm>

#include "heed/base/text.h"
#include "heed/pipeline/stream_options.h"

namespace heed::pipeline {

std::string text_problem(std::string_view text) {
  if (text.size() > kMostTextBytes) {
    return fmt::format(
        "the text has {}, and at most {} are read as one; put its sentences on lines of their own",
        human_bytes(text.size()), human_bytes(kMostTextBytes));
  }
  return nul_problem(text);
}

std::string nul_problem(std::string_view text) {
  const std::size_t zero = text.find('\0');
  if (zero == text.npos) return {};
  return fmt::format("byte {} is NUL, which no text holds; leave it out", zero + 1);
}

std::int64_t longest_read(std::int64_t asked, std::int64_t trained) {
  return asked > 0 ? asked : std::max(kLongestText, trained);
}

std::string too_many_tokens(std::size_t tokens, std::int64_t most, std::string_view remedy) {
  return fmt::format("the text has {} tokens, and at most {} are read at once; {}", tokens, most,
                     remedy);
}

}  // namespace heed::pipeline
