// SPDX-License-Identifier: Apache-2.0
// Embeddings that are one table.
#pragma once

namespace heed::models {

// None; the target's and the output's (Press 2017); all three.
enum class Tie { none, target, all };

}  // namespace heed::models
