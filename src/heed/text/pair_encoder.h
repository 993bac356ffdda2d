// SPDX-License-Identifier: Apache-2.0
// From a pair of lines to pairs of tokens, with an explicit choice for those that are too long.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/text/copying.h"
#include "heed/text/pairs.h"
#include "heed/text/token.h"
#include "heed/text/tokeniser.h"

namespace heed::text {

// A pair with a side of more than this many tokens, the end not counted:
//   fail   is a DataError that names its line;
//   crop   keeps the first tokens of each side that is too long;
//   skip   leaves the pair out;
//   split  cuts both sides into sentences (sentences.h). When they have equally many, neighbours
//          are put together again up to the limit, and the pair becomes several. Cutting
//          translations at equal shares of their lengths would pair words that do not belong
//          together: so when the numbers differ, or one sentence alone is too long, the pair is
//          left out as by skip.
enum class TooLong { fail, crop, skip, split };
const std::vector<std::string>& too_long_names();

struct LengthLimit {
  std::int64_t max_length = 0;  // 0: any length
  TooLong too_long = TooLong::fail;
};

// Both sides end with kEnd; a text without a second side has no target.
struct TokenPair {
  Tokens source{};
  Tokens target{};
  std::uint64_t line = 0;
  // Numbers that go with it: the classes of a labelled text, or the word of each source token.
  std::vector<std::int32_t> labels{};
  std::uint64_t document = 0;  // LinePair's
  Tokens copies{};             // the source as tokens of the target, where it may be copied
};

enum class Outcome { kept, cropped, skipped, split, empty };

// empty: a side has text but no token, because its characters are normalised away.
struct EncodedPair {
  Outcome outcome = Outcome::kept;
  std::vector<TokenPair> pairs{};  // none if skipped or empty
};

// Anything that makes pairs of tokens of a line. Called by several threads at once.
using LineEncoder = std::function<EncodedPair(const LinePair&)>;

struct PairEncoder {
  const Tokeniser* source;
  const Tokeniser* target;
  LengthLimit limit{};
  std::string name{};                      // of the files, for messages
  std::shared_ptr<const Copier> copier{};  // where sources may be copied

  EncodedPair operator()(const LinePair& pair) const;
};

}  // namespace heed::text
