// SPDX-License-Identifier: Apache-2.0
// The figures that fused attention is meant to show, each with the least or the most it may be.
#pragma once

#include <vector>

#include "cli/bench/harness.h"

namespace heed::cli {

// Spends about this many seconds on each row. One thread, unless the row's name says otherwise.
std::vector<BenchRow> attention_table(double seconds);

}  // namespace heed::cli
