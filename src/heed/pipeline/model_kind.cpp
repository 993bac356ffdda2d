// SPDX-License-Identifier: Apache-2.0
// The list of kinds, kept by rank whatever the order of initialisation.
#include "heed/pipeline/model_kind.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

std::vector<ModelKind>& listed() {
  static std::vector<ModelKind> all;
  return all;
}

}  // namespace

bool ModelKind::starts_from(const ModelKind& other) const {
  return other.name == name || (!learns_from.empty() && other.teaches == learns_from);
}

std::string ModelKind::use_of(const std::string& folder) const {
  return fmt::format(fmt::runtime(example), folder);
}

std::span<const ModelKind> kinds() {
  return listed();
}

const ModelKind* find_kind(std::string_view name) {
  const auto found = std::ranges::find(listed(), name, &ModelKind::name);
  return found == listed().end() ? nullptr : &*found;
}

const ModelKind& kind_called(const std::string& name) {
  if (const ModelKind* kind = find_kind(name)) return *kind;
  const std::vector<std::string> names = kind_names();
  throw UsageError("--task: no task is called \"{}\"{}; there are {}", name,
                   did_you_mean(name, names), join(names, ", "));
}

std::vector<std::string> kind_names(const std::function<bool(const ModelKind&)>& holds) {
  std::vector<std::string> names;
  for (const ModelKind& kind : listed()) {
    if (!holds || holds(kind)) names.push_back(kind.name);
  }
  return names;
}

ListedKind::ListedKind(ModelKind kind) {
  const auto place = std::ranges::upper_bound(listed(), kind.rank, {}, &ModelKind::rank);
  listed().insert(place, std::move(kind));
}

}  // namespace heed::pipeline
