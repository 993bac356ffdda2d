// SPDX-License-Identifier: Apache-2.0
// Choosing at random, as grammars do: whether, which one, and which one by its weight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "heed/base/random.h"

namespace heed::corpora {

inline bool chance(Random& random, double probability) {
  return random.uniform() < probability;
}

// One of the items of an array, a vector or a span, all equally likely.
template <typename Items>
decltype(auto) pick(Random& random, const Items& items) {
  return items[static_cast<std::size_t>(random.integer(std::size(items)))];
}

// From low to high, both included.
inline std::int64_t pick_between(Random& random, std::int64_t low, std::int64_t high) {
  return low +
         static_cast<std::int64_t>(random.integer(static_cast<std::uint64_t>(high - low + 1)));
}

// One of these with its weight; the weights need not add up to 1.
template <typename T>
struct Weighted {
  T value;
  double weight;
};

template <typename T>
T pick_weighted(Random& random, std::initializer_list<Weighted<T>> choices) {
  double left = 0;
  for (const auto& choice : choices) left += choice.weight;
  left *= random.uniform();
  for (const auto& choice : choices) {
    left -= choice.weight;
    if (left < 0) return choice.value;
  }
  return choices.begin()->value;
}

}  // namespace heed::corpora
