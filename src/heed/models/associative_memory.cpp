// SPDX-License-Identifier: Apache-2.0
// Checks, overlaps, and steps until nothing changes.
#include "heed/models/associative_memory.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/models/associative_rules.h"

namespace heed::models {
namespace {

bool is_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

void check(const std::vector<MemoryPattern>& patterns, const AssociativeOptions& options) {
  if (patterns.empty() || patterns.front().empty()) {
    throw UsageError("associative memory: there is no pattern to store; give one or more");
  }
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const MemoryPattern& pattern = patterns[i];
    if (pattern.size() != patterns.front().size()) {
      throw UsageError(
          "associative memory: pattern {} has {} units, the first {}; all take the same number",
          i + 1, pattern.size(), patterns.front().size());
    }
    if (!is_finite(pattern)) {
      throw UsageError("associative memory: pattern {} has a number that is not finite", i + 1);
    }
    const auto is_bit = [](double value) { return value == 1 || value == -1; };
    if (options.rule != MemoryRule::modern && !std::ranges::all_of(pattern, is_bit)) {
      throw UsageError(
          "associative memory: pattern {} has units other than -1 and 1, which only a modern one "
          "stores; take the signs",
          i + 1);
    }
  }
  const std::size_t units = patterns.front().size();
  if (options.rule == MemoryRule::classical && units > AssociativeMemory::kMostCoupledUnits) {
    throw UsageError(
        "associative memory: {} units, and a classical one couples each with each; it takes {} at "
        "most, modern and dense ones any number",
        units, AssociativeMemory::kMostCoupledUnits);
  }
  if (!(options.beta > 0) || !std::isfinite(options.beta)) {
    throw UsageError("associative memory: beta {}; it takes a number above 0", options.beta);
  }
  if (options.power < 2 || options.power > 100) {
    throw UsageError("associative memory: power {}; it takes 2 to 100", options.power);
  }
}

}  // namespace

std::unique_ptr<AssociativeMemory> make_associative_memory(std::vector<MemoryPattern> patterns,
                                                           const AssociativeOptions& options) {
  check(patterns, options);
  switch (options.rule) {
    case MemoryRule::classical:
      return make_classical_memory(std::move(patterns));
    case MemoryRule::dense:
      return make_dense_memory(std::move(patterns), options.power);
    case MemoryRule::modern:
      break;
  }
  return make_modern_memory(std::move(patterns), options.beta);
}

Recollection recall(const AssociativeMemory& memory, MemoryPattern query,
                    const RecallOptions& options) {
  if (query.size() != memory.units()) {
    throw UsageError("recall: a query of {} units for patterns of {}; their sizes must be equal",
                     query.size(), memory.units());
  }
  if (!is_finite(query)) throw UsageError("recall: the query has a number that is not finite");
  Recollection found;
  const auto keep = [&](MemoryPattern state) {
    const double energy = memory.energy(state);
    std::vector<double> weights = memory.weights(state);
    found.steps.push_back({std::move(state), energy, std::move(weights)});
  };
  keep(std::move(query));
  for (std::int64_t i = 0; i < options.most_steps; ++i) {
    const MemoryPattern& last = found.steps.back().state;
    MemoryPattern next = memory.step(last);
    double change = 0;
    for (std::size_t u = 0; u < next.size(); ++u) {
      change = std::max(change, std::abs(next[u] - last[u]));
    }
    found.settled = change <= options.tolerance;
    if (found.settled) break;
    keep(std::move(next));
  }
  return found;
}

}  // namespace heed::models
