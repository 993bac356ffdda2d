// SPDX-License-Identifier: Apache-2.0
// Rows and tables of the allowed keys, solved once more to be told.
#include "attend/structures.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "heed/base/text.h"

namespace heed::attend {
namespace {

using attention::MatrixNormaliser;
using attention::Member;
using attention::ObservedWeights;
using attention::RowNormaliser;

constexpr std::size_t kMostMembers = 6;

// The allowed keys of one head, query after query.
struct AllowedKeys {
  std::vector<double> scores;
  std::vector<std::int32_t> keys;
  std::vector<std::size_t> rows = {0};
};

AllowedKeys allowed_keys(const ObservedWeights& observed, std::int64_t sequence,
                         std::int64_t head) {
  const Tensor masked = observed.masked.select(0, sequence).select(0, head).packed();
  const Tensor scores = observed.scores.value().select(0, sequence).select(0, head).packed();
  AllowedKeys allowed;
  const std::int64_t count = masked.size(1);
  for (std::int64_t cell = 0; cell < masked.size(); ++cell) {
    if (!attention::is_masked(masked.data()[cell])) {
      allowed.scores.push_back(static_cast<double>(scores.data()[cell]));
      allowed.keys.push_back(static_cast<std::int32_t>(cell % count));
    }
    if (cell % count == count - 1) allowed.rows.push_back(allowed.keys.size());
  }
  return allowed;
}

// "keys 2 to 4, 7": runs of neighbours as such.
std::string runs_of(const std::vector<std::int32_t>& keys) {
  std::vector<std::string> runs;
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end] == keys[end - 1] + 1) ++end;
    runs.push_back(end - begin > 2 ? fmt::format("{} to {}", keys[begin], keys[end - 1])
                                   : fmt::format("{}", keys[begin]));
    if (end - begin == 2) runs.push_back(fmt::format("{}", keys[begin + 1]));
    begin = end;
  }
  if (runs.empty()) return "no key";
  return (keys.size() == 1 ? "key " : "keys ") + join(runs, ", ");
}

std::string members_of_query(const HeadStructure& structure, std::size_t shown) {
  std::vector<std::string> all;
  for (const Member& member : std::span(structure.members).first(shown)) {
    all.push_back(fmt::format("{:.2f} of {}", member.share, runs_of(member.keys)));
  }
  return fmt::format("query {}: {}", structure.query, join(all, "; "));
}

}  // namespace

std::string written(const HeadStructure& structure) {
  std::string lines;
  const std::size_t shown = std::min(structure.members.size(), kMostMembers);
  const std::string more =
      shown < structure.members.size()
          ? fmt::format("; and {} smaller ones", structure.members.size() - shown)
          : "";
  if (structure.query >= 0) return members_of_query(structure, shown) + more + "\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const Member& member = structure.members[i];
    lines += fmt::format("{:.2f} of the keys {}{}\n", member.share, fmt::join(member.keys, " "),
                         i + 1 == shown ? more : "");
  }
  if (structure.defect > 0) {
    lines += fmt::format("sums of columns are wrong by up to {:.2g}\n", structure.defect);
  }
  return lines;
}

Variable StructureWatch::weights(const ObservedWeights& observed) {
  const auto* of_rows = dynamic_cast<const RowNormaliser*>(observed.normaliser);
  const auto* of_tables = dynamic_cast<const MatrixNormaliser*>(observed.normaliser);
  for (std::int64_t i = 0; i < observed.masked.size(0) * observed.masked.size(1); ++i) {
    const std::int64_t b = i / observed.masked.size(1), h = i % observed.masked.size(1);
    const AllowedKeys all = allowed_keys(observed, b, h);
    HeadStructure found{.sequence = observed.first_sequence + b, .head = observed.first_head + h};
    if (of_tables != nullptr) {
      const attention::Table<double> table{.queries = observed.masked.size(2),
                                           .keys = observed.masked.size(3),
                                           .scores = all.scores,
                                           .columns = all.keys,
                                           .rows = all.rows,
                                           .head = found.head};
      found.members = of_tables->members(table);
      found.defect = of_tables->defect(table);
      if (!found.members.empty() || found.defect > 0) found_.push_back(std::move(found));
      continue;
    }
    for (std::size_t q = 0; of_rows != nullptr && q + 1 < all.rows.size(); ++q) {
      const std::size_t begin = all.rows[q], size = all.rows[q + 1] - begin;
      if (size == 0) continue;
      found.query = observed.first_query + static_cast<std::int64_t>(q);
      found.members = of_rows->members({.scores = std::span(all.scores).subspan(begin, size),
                                        .keys = std::span(all.keys).subspan(begin, size),
                                        .head = found.head});
      if (!found.members.empty()) found_.push_back(found);
    }
  }
  return observed.weights;
}

}  // namespace heed::attend
