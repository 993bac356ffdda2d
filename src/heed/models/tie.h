// SPDX-License-Identifier: Apache-2.0
// Embeddings that are one table.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// None; the target's and the output's (Press 2017); all three.
enum class Tie { none, target, all };
inline const std::vector<std::string>& tie_names() {
  static const std::vector<std::string> names = {"none", "target", "all"};
  return names;
}

}  // namespace heed::models

#pragma GCC visibility pop
