// SPDX-License-Identifier: Apache-2.0
// The numbers that the heads of a model have learnt, module by module.
#include "heed/attention/written/learnt.h"
#include "heed/base/error.h"
#include "heed/insight/describe/description_notes.h"

namespace heed::insight {

std::vector<LearntHeads> learnt_heads(
    const ModelFacts& facts, const std::function<std::vector<double>(const std::string&)>& values) {
  std::vector<LearntHeads> all;
  for (const std::string& module : attention_modules(facts)) {
    const std::string mechanism = mechanism_at(module, facts);
    if (mechanism.empty()) continue;
    std::vector<attention::LearntNumbers> found;
    try {
      found = attention::learnt_numbers(
          mechanism, [&](const std::string& path) { return values(module + "." + path); });
    } catch (const UsageError&) {
      continue;  // a word such as "none" is no mechanism
    }
    for (attention::LearntNumbers& numbers : found) {
      all.push_back({module, std::move(numbers.name), std::move(numbers.heads)});
    }
  }
  return all;
}

}  // namespace heed::insight
