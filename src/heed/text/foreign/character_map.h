// SPDX-License-Identifier: Apache-2.0
// SentencePiece's character map: which texts its normaliser writes in the place of which others.
//
// Its bytes are the size of a double-array trie (4 bytes, little-endian), the trie, and the texts
// that its leaves point to, each ended by NUL. A unit of the trie is 32 bits: a label, whether it
// has a leaf, and an offset; a step goes from unit i to (i XOR offset) XOR byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

class CharacterMap {
 public:
  // DataError, beginning with `name`, for a map that would lead its reader outside itself.
  CharacterMap(std::string_view bytes, const std::string& name);

  struct Match {
    std::size_t bytes = 0;       // of the text; 0: none of it is mapped
    std::string_view written{};  // in their place
  };
  // The longest beginning of the text that is mapped.
  Match longest(std::string_view text) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace heed::text
