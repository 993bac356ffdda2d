// SPDX-License-Identifier: Apache-2.0
// Drawing the tokens that are hidden.
#include "heed/text/masking.h"

#include <algorithm>
#include <vector>

#include "heed/base/error.h"

namespace heed::text {
namespace {

// Tokens that are masked together: begin and end.
struct Unit {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Unit> units_of(const Tokens& tokens, std::span<const std::int32_t> words,
                           bool whole_words) {
  std::vector<Unit> units;
  for (std::size_t begin = 0; begin < tokens.size();) {
    std::size_t end = begin + 1;
    while (whole_words && end < tokens.size() && words[end] == words[begin]) ++end;
    const auto known =
        std::ranges::count(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                           tokens.begin() + static_cast<std::ptrdiff_t>(end), kUnknown) == 0;
    if (words[begin] >= 0 && known) units.push_back({begin, end});
    begin = end;
  }
  return units;
}

}  // namespace

Masked masked(const Tokens& tokens, std::span<const std::int32_t> words, Token vocabulary,
              const MaskingOptions& options, Random& random) {
  if (!(options.share > 0 && options.share <= 1) || options.hidden < 0 || options.replaced < 0 ||
      options.hidden + options.replaced > 1) {
    throw UsageError(
        "masking: a share of {}, of which {} hidden and {} replaced; the share must be above 0 and "
        "at most 1, and the other two 1 or less together",
        options.share, options.hidden, options.replaced);
  }
  if (words.size() != tokens.size()) {
    throw UsageError("masking: words of {} tokens for {} tokens; it takes one for each",
                     words.size(), tokens.size());
  }
  Masked result{.tokens = tokens};
  std::vector<Unit> units = units_of(tokens, words, options.whole_words);
  if (units.empty()) return result;
  random.shuffle(units);
  // The share holds on average, however short the text is.
  const double wanted = options.share * static_cast<double>(units.size()) + random.uniform();
  units.resize(std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, units.size()));
  std::ranges::sort(units, {}, &Unit::begin);
  for (const Unit& unit : units) {
    const double draw = random.uniform();
    for (std::size_t i = unit.begin; i < unit.end; ++i) {
      result.places.push_back(static_cast<std::int32_t>(i));
      result.wanted.push_back(tokens[i]);
      if (draw < options.hidden) {
        result.tokens[i] = options.mask;
      } else if (draw < options.hidden + options.replaced && vocabulary > kFirstPiece) {
        result.tokens[i] = kFirstPiece + static_cast<Token>(random.integer(
                                             static_cast<std::uint64_t>(vocabulary - kFirstPiece)));
      }
    }
  }
  return result;
}

Random masking_random(const MaskingOptions& options, std::uint64_t epoch, std::uint64_t line) {
  // Streams 0, 1, ... of a seed belong to others; these begin with "MA".
  return Random(options.seed, 0x4D41000000000000u ^ (epoch << 36) ^ line);
}

}  // namespace heed::text
