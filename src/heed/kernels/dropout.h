// SPDX-License-Identifier: Apache-2.0
// Dropout whose mask is a function of seed, stream and element: nothing is stored, and the backward
// pass is the same call on dy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::kernels {

// Element i of the mask is word i % 4 of Philox4x32-10 with key = seed and counter = (i / 4,
// stream), both as low then high half. The element is kept iff that word >= probability * 2^32.
struct DropoutOptions {
  double probability = 0;    // of dropping; 0 keeps all, 1 drops all
  std::uint64_t seed = 0;    // of the run
  std::uint64_t stream = 0;  // of the call: two calls with one stream share their mask
  std::uint64_t first = 0;   // mask element that belongs to x[0]
};

// y_i = x_i / (1 - probability) where kept, else 0; y may be x. Same bits whatever the thread
// count, and any split of x into calls with their own `first` gives the same y.
template <typename T>
void dropout(const T* x, T* y, std::size_t n, const DropoutOptions& options) noexcept;

// One mask element per (outer, inner), shared over steps, as dropout between recurrent steps wants
// (Gal 2016).
struct LockedShape {
  std::size_t outer = 0;
  std::size_t steps = 0;
  std::size_t inner = 0;
};

// x, y [outer, steps, inner]; mask element of (o, t, i) is first + o * inner + i.
template <typename T>
void locked_dropout(const T* x, T* y, const LockedShape& shape,
                    const DropoutOptions& options) noexcept;

}  // namespace heed::kernels
