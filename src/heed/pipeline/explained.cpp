// SPDX-License-Identifier: Apache-2.0
// Steps and words as they are written.
#include "heed/pipeline/explained.h"

#include <charconv>

namespace heed::pipeline {

ExplainedStep explained_step(const std::string& written) {
  const std::size_t equals = written.find('=');
  const std::string first = written.substr(0, equals);
  ExplainedStep found;
  const char* end = first.data() + first.size();
  const auto [last, error] = std::from_chars(first.data(), end, found.step);
  if (error != std::errc() || last != end || found.step == 0) return {.step = 0, .word = written};
  if (equals != std::string::npos) found.word = written.substr(equals + 1);
  return found;
}

}  // namespace heed::pipeline
