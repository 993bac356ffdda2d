// SPDX-License-Identifier: Apache-2.0
// What a kernel's templates are compiled for, and how large a share of the work a thread should
// get.
#pragma once

#include <cstddef>

namespace heed::kernels {

// The type that the sources of kernels are compiled for: Real, as all layers above call them with
// nothing else, and each type costs a copy per CPU target. Tests check both types on every target:
// they link a second library of the same sources, compiled for the other one.
#ifndef HEED_KERNELS_SCALAR
#define HEED_KERNELS_SCALAR float
#endif
using Scalar = HEED_KERNELS_SCALAR;

// Items below which an elementwise loop is not worth a second thread: a parallel region costs some
// microseconds, 32K floats about as much.
inline constexpr std::size_t kElementwiseGrain = 32768;

}  // namespace heed::kernels
