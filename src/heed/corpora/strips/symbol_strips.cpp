// SPDX-License-Identifier: Apache-2.0
// Drawing symbols.
#include "heed/corpora/strips/symbol_strips.h"

namespace heed::corpora {
namespace {

constexpr std::uint64_t kShapes = 0x73796d626f6c;  // the seed of the vectors
constexpr float kNoise = .5f;
constexpr std::uint64_t kLeastHeld = 2, kMostHeld = 6, kMostSilent = 3;

void add_frames(Strip& strip, std::int64_t count, const float* shape, Random& random) {
  for (std::int64_t t = 0; t < count; ++t) {
    for (std::int64_t i = 0; i < kSymbolHeight; ++i) {
      strip.values.push_back((shape == nullptr ? 0 : shape[i]) + kNoise * random.normal<float>());
    }
  }
}

}  // namespace

std::span<const float> symbol_vectors() {
  static const std::vector<float> vectors = [] {
    std::vector<float> all(kSymbolAlphabet.size() * static_cast<std::size_t>(kSymbolHeight));
    Random random(kShapes);
    for (float& value : all) value = random.normal<float>();
    return all;
  }();
  return vectors;
}

std::vector<Strip> draw_symbol_strips(const DrawnStrips& wanted) {
  Random random = wanted.random();
  std::vector<Strip> strips;
  while (std::ssize(strips) < wanted.count) {
    Strip& strip = strips.emplace_back(Strip{.height = kSymbolHeight, .labelled = true});
    for (std::int64_t left = wanted.length(random); left > 0; --left) {
      const auto label = static_cast<int>(random.integer(kSymbolAlphabet.size()));
      const auto held =
          static_cast<std::int64_t>(kLeastHeld + random.integer(kMostHeld - kLeastHeld + 1));
      const std::int64_t begin = strip.frames();
      add_frames(strip, held, symbol_vectors().data() + label * kSymbolHeight, random);
      strip.labels.push_back(label);
      strip.places.push_back({begin, begin + held});
      if (left == 1) break;
      add_frames(strip, static_cast<std::int64_t>(random.integer(kMostSilent + 1)), nullptr,
                 random);
    }
  }
  return strips;
}

}  // namespace heed::corpora
