// SPDX-License-Identifier: Apache-2.0
// Embeddings that are one table.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// None; the target's and the output's (Press 2017); all three; the source's and the target's, and
// not the output's (T5 1.1).
enum class Tie { none, target, all, inputs };
inline const std::vector<std::string>& tie_names() {
  static const std::vector<std::string> names = {"none", "target", "all", "inputs"};
  return names;
}
inline bool ties_output(Tie tie) {
  return tie == Tie::target || tie == Tie::all;
}
// Whether both sides have one vocabulary.
inline bool ties_inputs(Tie tie) {
  return tie == Tie::inputs || tie == Tie::all;
}

}  // namespace heed::models

#pragma GCC visibility pop
