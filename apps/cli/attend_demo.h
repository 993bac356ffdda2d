// SPDX-License-Identifier: Apache-2.0
// The walk through attention that `heed attend --demo` prints.
#pragma once

namespace heed::cli {

void attend_demo();

}  // namespace heed::cli
