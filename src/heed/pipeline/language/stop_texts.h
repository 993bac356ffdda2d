// SPDX-License-Identifier: Apache-2.0
// Texts at which a writing ends. They come in pieces, as everything that is written: what may be
// the beginning of one is held back until it is known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::pipeline {

class StopTexts {
 public:
  // UsageError for an empty text, which would be everywhere.
  explicit StopTexts(std::vector<std::string> texts);

  // Where the first of them begins in `text`, which had none in its first `known` bytes; npos
  // without any.
  std::size_t find(std::string_view text, std::size_t known) const;
  // How many bytes at the end of `text`, which has none, one of them may begin with.
  std::size_t begun(std::string_view text) const;

 private:
  std::vector<std::string> texts_;
  std::size_t longest_ = 0;
};

}  // namespace heed::pipeline
