// SPDX-License-Identifier: Apache-2.0
// The weights of `heed attend` as heatmaps in the terminal.
#pragma once

#include <string>

#include "attend/answer.h"

namespace heed::cli {

// At most a few heatmaps and the first queries and keys of each, and a line that
// says what was left out; `only` ("SEQUENCE,HEAD", both counted from 0) shows that one whole. Below
// a heatmap stands which structures share its weights, and how far iterations are from their end.
void show_weights(const attend::Answer& answer, const std::string& only);

// UsageError unless `only` is empty or a sequence and a head of these weights.
void check_shown(const std::string& only, std::int64_t sequences, std::int64_t heads);

}  // namespace heed::cli
