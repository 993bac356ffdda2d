// SPDX-License-Identifier: Apache-2.0
// Where the lines for people go that a training writes.
#pragma once

#include <functional>
#include <string_view>

namespace heed::pipeline {

// Called with log lines; standard error without one.
using Print = std::function<void(std::string_view line)>;

}  // namespace heed::pipeline
