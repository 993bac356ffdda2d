// SPDX-License-Identifier: Apache-2.0
// Which sentences are before others in their document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heed::text {

struct Previous {
  std::vector<std::size_t> places{};  // of the sentences that are before any, each once
  std::vector<std::int32_t> rows{};  // [sentences, count], of `places`, the nearest first; -1: none
};

// Up to `count` sentences before each of these places: its neighbours with the same document_of().
template <typename Places, typename DocumentOf>
Previous previous_sentences(const Places& places, std::int64_t count,
                            const DocumentOf& document_of) {
  Previous found;
  for (const auto at : places) {
    const auto place = static_cast<std::size_t>(at);
    for (std::int64_t back = 1; back <= count; ++back) {
      const auto distance = static_cast<std::size_t>(back);
      if (distance > place || document_of(place - distance) != document_of(place)) {
        found.rows.push_back(-1);
        continue;
      }
      const auto known = std::ranges::find(found.places, place - distance);
      found.rows.push_back(static_cast<std::int32_t>(known - found.places.begin()));
      if (known == found.places.end()) found.places.push_back(place - distance);
    }
  }
  return found;
}

}  // namespace heed::text
