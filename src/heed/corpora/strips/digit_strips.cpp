// SPDX-License-Identifier: Apache-2.0
// Digits side by side.
#include "heed/corpora/strips/digit_strips.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

constexpr std::int64_t kOverlap = 4, kMostGap = 8;

}  // namespace

std::int64_t narrowest_strip(const images::ImageSet& digits, std::int64_t count) {
  return digits.columns + (count - 1) * std::max<std::int64_t>(1, digits.columns - kOverlap);
}

std::vector<Strip> draw_digit_strips(const images::ImageSet& digits, const DrawnStrips& wanted) {
  if (digits.size() == 0) throw UsageError("strips of digits: there are no digits to draw from");
  if (digits.channels != 1 || std::ranges::max(digits.labels) > 9) {
    throw UsageError("strips of digits: {} channels, labels up to {}; they take grey digits 0 to 9",
                     digits.channels, std::ranges::max(digits.labels));
  }
  Random random = wanted.random();
  std::vector<Strip> strips;
  while (std::ssize(strips) < wanted.count) {
    Strip& strip = strips.emplace_back(Strip{.height = digits.rows, .labelled = true});
    std::int64_t at = 0;
    for (std::int64_t left = wanted.length(random); left > 0; --left) {
      const auto which =
          static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(digits.size())));
      strip.values.resize(static_cast<std::size_t>((at + digits.columns) * digits.rows));
      const std::uint8_t* const picture = digits.image_data(which);
      for (std::int64_t row = 0; row < digits.rows; ++row) {
        for (std::int64_t column = 0; column < digits.columns; ++column) {
          float& value = strip.values[static_cast<std::size_t>((at + column) * digits.rows + row)];
          value = std::max(value, static_cast<float>(picture[row * digits.columns + column]) / 255);
        }
      }
      strip.labels.push_back(digits.labels[static_cast<std::size_t>(which)]);
      strip.places.push_back({at, at + digits.columns});
      const auto gap = static_cast<std::int64_t>(random.integer(kOverlap + kMostGap + 1));
      at = std::max(at + 1, at + digits.columns + gap - kOverlap);
      if (left > 1 && at > strip.frames()) {
        strip.values.resize(static_cast<std::size_t>(at * digits.rows));
      }
    }
  }
  return strips;
}

}  // namespace heed::corpora
