// SPDX-License-Identifier: Apache-2.0
// From a template over float and double to the copies of a kernel that Highway compiled per target.
#pragma once

#include <cstddef>
#include <type_traits>

namespace heed::kernels {

// Items below which an elementwise loop is not worth a second thread: a parallel region costs some
// microseconds, 32K floats about as much.
inline constexpr std::size_t kElementwiseGrain = 32768;

// The pointer to `NameFloat` or `NameDouble`, as T wants, for the current CPU; both must have been
// exported. (Highway 1.0.3 cannot export templates.)
#define HEED_DISPATCH(T, Name)                               \
  [] {                                                       \
    if constexpr (std::is_same_v<T, float>) {                \
      return HWY_DYNAMIC_DISPATCH(HWY_CONCAT(Name, Float));  \
    } else {                                                 \
      return HWY_DYNAMIC_DISPATCH(HWY_CONCAT(Name, Double)); \
    }                                                        \
  }()

}  // namespace heed::kernels
