// SPDX-License-Identifier: Apache-2.0
// Warnings: what deserves a word and is no failure. A library says nothing by itself; the program
// `heed` prints them on standard error, and another may listen too.
#pragma once  // public header

#include <functional>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

using WarningSink = std::function<void(std::string_view text)>;

// Who gets every warning from now on, on whatever thread it arises; none: nobody. Gives the one
// before.
WarningSink set_warning_sink(WarningSink sink);

void warn(std::string_view text);

}  // namespace heed

#pragma GCC visibility pop
