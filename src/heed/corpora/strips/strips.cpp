// SPDX-License-Identifier: Apache-2.0
// What all fresh strips share.
#include "heed/corpora/strips/strips.h"

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

// Streams of strips are far from those of noise and of first weights.
constexpr std::uint64_t kStripStreams = 0x7374726970ULL << 24;

}  // namespace

Random DrawnStrips::random() const {
  return Random(seed, kStripStreams + batch);
}

std::int64_t DrawnStrips::length(Random& random) const {
  if (fewest < 1 || most < fewest) {
    throw UsageError("strips of {} to {} labels; give 1 or more, and no fewer than the fewest",
                     fewest, most);
  }
  return fewest +
         static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(most - fewest + 1)));
}

std::string label_text(std::span<const int> labels, std::string_view alphabet) {
  std::string text;
  for (const int label : labels) {
    if (label < 0 || label >= std::ssize(alphabet)) {
      throw UsageError("label {}: there are {}, counted from 0", label, alphabet.size());
    }
    text += alphabet[static_cast<std::size_t>(label)];
  }
  return text;
}

}  // namespace heed::corpora
