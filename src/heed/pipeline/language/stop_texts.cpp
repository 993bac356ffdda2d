// SPDX-License-Identifier: Apache-2.0
// Plain searches: stops are few and short, and only what is new is looked at.
#include "heed/pipeline/language/stop_texts.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed::pipeline {

StopTexts::StopTexts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) {
    if (text.empty()) {
      throw UsageError("stop: an empty text is everywhere; give one to end at, or leave it out");
    }
    longest_ = std::max(longest_, text.size());
  }
}

std::size_t StopTexts::find(std::string_view text, std::size_t known) const {
  // One may have begun in what is known, with all but its last byte.
  const std::size_t from = known >= longest_ ? known - longest_ + 1 : 0;
  std::size_t first = text.npos;
  for (const std::string& stop : texts_) first = std::min(first, text.find(stop, from));
  return first;
}

std::size_t StopTexts::begun(std::string_view text) const {
  std::size_t most = 0;
  for (const std::string& stop : texts_) {
    for (std::size_t size = std::min(stop.size() - 1, text.size()); size > most; --size) {
      if (text.ends_with(std::string_view(stop).substr(0, size))) most = size;
    }
  }
  return most;
}

}  // namespace heed::pipeline
