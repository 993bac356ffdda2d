// SPDX-License-Identifier: Apache-2.0
// Real: the scalar type of everything from tensor/ upwards, float unless the build says double.
#pragma once  // public header

#include <type_traits>

#ifndef HEED_REAL
#define HEED_REAL float
#endif

#pragma GCC visibility push(default)  // exported

namespace heed {

using Real = HEED_REAL;

// The double build is a library of its own with names of its own: whoever links heed::core_double
// compiles with `heed` defined as `heed_double`, as its CMake target and its .pc file say.
#ifdef heed
static_assert(std::is_same_v<Real, double>, "heed is heed_double, so HEED_REAL must be double");
#else
static_assert(std::is_same_v<Real, float>, "link heed::core_double, which says -Dheed=heed_double");
#endif

}  // namespace heed

#pragma GCC visibility pop
