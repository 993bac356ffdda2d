// SPDX-License-Identifier: Apache-2.0
// Reads and pins the CPU targets that Highway's dispatch chooses from.
#include "heed/kernels/targets.h"

#include <algorithm>

#include "heed/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/targets.cpp"
#include "heed/kernels/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// The target this copy of the function was compiled for.
const char* CompiledTarget() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(CompiledTarget);

std::vector<std::string> supported_targets() {
  std::vector<std::string> names;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.emplace_back(hwy::TargetName(target));
  }
  return names;
}

std::string current_target() {
  return HWY_DYNAMIC_DISPATCH(CompiledTarget)();
}

TargetScope::TargetScope(const std::string& target) {
  const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const auto found = std::find_if(targets.begin(), targets.end(), [&](std::int64_t candidate) {
    return target == hwy::TargetName(candidate);
  });
  if (found == targets.end()) {
    std::string possible;
    for (const std::string& name : supported_targets()) possible += " " + name;
    throw UsageError("targets: this CPU cannot run '" + target + "'; it can run" + possible);
  }
  hwy::SetSupportedTargetsForTest(*found);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TargetScope::~TargetScope() {
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
