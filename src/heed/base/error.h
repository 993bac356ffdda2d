// SPDX-License-Identifier: Apache-2.0
// Errors with values in their messages: throw UsageError("width {} is odd", width). The only public
// header that brings fmt along; errors.h is enough to catch them.
#pragma once  // public header

#include <fmt/format.h>

#include <utility>

#include "heed/base/errors.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

template <typename... Values>
struct MessageText {
  using Type = fmt::format_string<Values...>;  // checked when it is compiled
};

template <typename First, typename... Rest>
inline UsageError::UsageError(typename MessageText<First, Rest...>::Type text, First&& first,
                              Rest&&... rest)
    : Error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

template <typename First, typename... Rest>
inline DataError::DataError(typename MessageText<First, Rest...>::Type text, First&& first,
                            Rest&&... rest)
    : Error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

template <typename First, typename... Rest>
inline InternalError::InternalError(typename MessageText<First, Rest...>::Type text, First&& first,
                                    Rest&&... rest)
    : Error(fmt::format(text, std::forward<First>(first), std::forward<Rest>(rest)...)) {}

}  // namespace heed

#pragma GCC visibility pop
