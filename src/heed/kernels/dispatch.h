// SPDX-License-Identifier: Apache-2.0
// What a kernel's templates are compiled for, and how large a share of the work a thread should
// get.
#pragma once

#include <cstddef>

namespace heed::kernels {

// The type that the sources of kernels are compiled for: Real, which is all that tensors hold, and
// each type costs a copy per CPU target. Kernels of rows, which normalisers call in either type,
// are compiled for the other one as well (cmake/layers.cmake); the tests link all of them in both.
#ifndef HEED_KERNELS_SCALAR
#define HEED_KERNELS_SCALAR float
#endif
using Scalar = HEED_KERNELS_SCALAR;

// Items below which an elementwise loop is not worth a second thread: a parallel region costs some
// microseconds, 32K floats about as much.
inline constexpr std::size_t kElementwiseGrain = 32768;

}  // namespace heed::kernels
