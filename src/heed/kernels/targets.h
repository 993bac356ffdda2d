// SPDX-License-Identifier: Apache-2.0
// CPU targets: which instruction sets the kernels can use here, and a way for tests to pin one.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::kernels {

// Names of the compiled targets this CPU can run, best first, such as {"AVX2", "SSE4", "SCALAR"}.
std::vector<std::string> supported_targets();

// The target that dispatch picks now.
std::string current_target();

// Pins every kernel to one target of supported_targets() until the end of the scope (not
// thread-safe; for tests).
class TargetScope {
 public:
  explicit TargetScope(const std::string& target);
  ~TargetScope();
  TargetScope(const TargetScope&) = delete;
  TargetScope& operator=(const TargetScope&) = delete;
};

}  // namespace heed::kernels

#pragma GCC visibility pop
