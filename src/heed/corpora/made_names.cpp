// SPDX-License-Identifier: Apache-2.0
// Syllables joined into names, which a hash divides among the parts.
#include "heed/corpora/made_names.h"

#include <cstdint>

#include "heed/corpora/choose.h"

namespace heed::corpora {
namespace {

constexpr std::string_view kOnsets[] = {"b",  "d",  "f",  "g",  "j",  "k",  "l",  "m",
                                        "n",  "p",  "r",  "s",  "t",  "v",  "z",  "br",
                                        "dr", "gr", "kr", "pl", "st", "tr", "sh", "fl"};
constexpr std::string_view kVowels[] = {"a", "e", "i", "o", "u"};
constexpr std::string_view kEnds[] = {"", "", "n", "r", "l", "k", "m", "sk", "nd"};

// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  return hash;
}

}  // namespace

std::string make_name(Random& random) {
  std::string name;
  const std::int64_t syllables = pick_between(random, 2, 3);
  for (std::int64_t i = 0; i < syllables; ++i) {
    name += pick(random, kOnsets);
    name += pick(random, kVowels);
  }
  name += pick(random, kEnds);
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

Part part_of_name(std::string_view name) {
  // The lowest bits of the hash depend on the lowest bits of the letters only.
  const std::uint64_t place = (hash_of(name) >> 32) % 10;
  return place < 8 ? Part::train : place == 8 ? Part::valid : Part::test;
}

std::string make_name(Random& random, Part part) {
  if (part == Part::far) part = Part::test;
  for (;;) {
    std::string name = make_name(random);
    if (part_of_name(name) == part) return name;
  }
}

}  // namespace heed::corpora
