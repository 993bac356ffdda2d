// SPDX-License-Identifier: Apache-2.0
// How much memory a piece of work takes at its peak, as the system sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#pragma GCC visibility push(default)  // exported

namespace heed {

// Bytes by which the resident memory of this process grows while `run` runs, at most. It runs on a
// thread of its own, so that the scratch memory of earlier runs does not serve it. Nothing where
// the system does not tell.
std::optional<std::int64_t> peak_growth(const std::function<void()>& run);

}  // namespace heed

#pragma GCC visibility pop
