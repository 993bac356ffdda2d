// SPDX-License-Identifier: Apache-2.0
// The numbers that the heads of a model have learnt, module by module.
#include "heed/insight/describe/learnt_heads.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "heed/attention/written/learnt.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/describe/description_notes.h"

namespace heed::insight {
namespace {

// A module such as "decoder.layers.1.self".
struct Place {
  bool self = false, encoder = false, decoder = false, cross = false;
  int layer = 0;

  explicit Place(std::string_view module) {
    for (const std::string_view name : split(module, '.')) {
      self = self || name == "self";
      cross = cross || name == "cross";
      encoder = encoder || name.starts_with("encoder");
      decoder = decoder || name.starts_with("decoder");
      std::from_chars(name.data(), name.data() + name.size(), layer);
    }
  }
  bool is(const AttentionSet& set) const {
    const auto has = [&](std::string_view word) {
      return set.kind.find(word) != std::string::npos;
    };
    if (!self) return !has("self") && (!cross || has("cross"));
    return has("self") && (!encoder || has("encoder")) && (!decoder || has("decoder"));
  }
};

}  // namespace

void add_learnt(TraceDocument& document, const std::vector<LearntHeads>& learnt) {
  for (const LearntHeads& module : learnt) {
    const Place place(module.module);
    for (TracedExample& example : document.examples) {
      for (AttentionSet& set : example.attentions) {
        if (!place.is(set)) continue;
        for (TracedHead& head : set.heads) {
          const auto index = static_cast<std::size_t>(head.head);
          if (head.layer != place.layer || index >= module.heads.size()) continue;
          if (std::isnan(module.heads[index])) continue;
          if (!head.learnt.empty()) head.learnt += ", ";
          head.learnt += fmt::format("{} {:.3g}", module.name, module.heads[index]);
        }
      }
    }
  }
}

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
