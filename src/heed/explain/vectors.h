// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the vectors of tokens.
#pragma once

#include <cstddef>
#include <vector>

#include "heed/explain/subject.h"

namespace heed::explain {

// Copies whose vectors are kept together.
inline constexpr std::size_t kCopiesAtOnce = 16;

Vectors scaled(Vectors vectors, double factor);
// [T], of each token the product of its two vectors, or the length of its vector.
std::vector<double> products(const Vectors& a, const Vectors& b);
std::vector<double> lengths(const Vectors& vectors);

}  // namespace heed::explain
