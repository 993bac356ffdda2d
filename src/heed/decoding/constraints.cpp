// SPDX-License-Identifier: Apache-2.0
// Constraints as numbers for each sentence, and as changes of its log-probabilities.
#include "heed/decoding/constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/error.h"

namespace heed::decoding {
namespace {

constexpr Real kNever = -std::numeric_limits<Real>::infinity();

std::int64_t limit_of(const LengthLimit& limit, std::int64_t source_length, const char* name) {
  const double value = limit.per_source * static_cast<double>(source_length) + limit.constant;
  if (!(value >= 1 && value <= 1e9)) {
    throw UsageError("search: {} {} tokens (the end included); give 1 to a billion", name, value);
  }
  return static_cast<std::int64_t>(value);
}

// Forbids every token that would complete `size` tokens in a row which `history` already holds.
void forbid_repeats(std::span<const text::Token> history, std::size_t size, std::span<Real> row) {
  const std::size_t context = size - 1;
  if (history.size() < size) return;
  const auto last = history.last(context);
  for (std::size_t i = 0; i + context < history.size(); ++i) {
    if (std::ranges::equal(history.subspan(i, context), last)) {
      row[static_cast<std::size_t>(history[i + context])] = kNever;
    }
  }
}

std::vector<Changed> penalise(double penalty, std::span<const text::Token> history,
                              std::span<Real> row) {
  std::vector<Changed> changed;
  for (const text::Token token : history) {
    Real& value = row[static_cast<std::size_t>(token)];
    if (value == kNever || std::ranges::count(changed, token, &Changed::token) > 0) continue;
    changed.push_back({token, value});
    value = static_cast<Real>(penalty * std::min<Real>(value, 0));
  }
  return changed;
}

}  // namespace

std::vector<SentenceLimits> sentence_limits(const Constraints& constraints,
                                            const Sentences& sentences) {
  const auto& prefixes = constraints.prefixes;
  if (!prefixes.empty() && static_cast<std::int64_t>(prefixes.size()) != sentences.count) {
    throw UsageError("search: {} prefixes for {} sentences; give one each, or none",
                     prefixes.size(), sentences.count);
  }
  if (!(constraints.repetition_penalty >= 1) || constraints.unrepeated < 0) {
    throw UsageError(
        "search: repetition penalty {}, repeats of {} tokens forbidden; these take 1 or more, and "
        "0 or more",
        constraints.repetition_penalty, constraints.unrepeated);
  }
  std::vector<SentenceLimits> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(sentences.count); ++i) {
    const std::int64_t source = sentences.source_lengths.empty() ? 0 : sentences.source_lengths[i];
    SentenceLimits limits{.least = limit_of(constraints.least, source, "at least"),
                          .most = limit_of(constraints.most, source, "at most")};
    if (sentences.longest > 0) limits.most = std::min(limits.most, sentences.longest);
    if (limits.least > limits.most) {
      throw UsageError("search: sentence {} must have at least {} and at most {} tokens", i,
                       limits.least, limits.most);
    }
    if (!prefixes.empty()) limits.prefix = prefixes[i];
    if (static_cast<std::int64_t>(limits.prefix.size()) > limits.most) {
      throw UsageError("search: sentence {} must begin with {} tokens and have at most {}", i,
                       limits.prefix.size(), limits.most);
    }
    all.push_back(std::move(limits));
  }
  return all;
}

void check_tokens(const Constraints& constraints, std::int64_t vocabulary) {
  for (const text::Token token : constraints.forbidden) {
    if (token < 0 || token >= vocabulary) {
      throw UsageError("search: token {} is forbidden, and the vocabulary has 0 to {}", token,
                       vocabulary - 1);
    }
  }
  for (std::size_t i = 0; i < constraints.prefixes.size(); ++i) {
    for (const text::Token token : constraints.prefixes[i]) {
      if (token >= 0 && token < vocabulary && token != text::kEnd) continue;
      throw UsageError(
          "search: the prefix of sentence {} has token {}; a prefix takes tokens of 0 to {}, and "
          "no end ({})",
          i, token, vocabulary - 1, text::kEnd);
    }
  }
}

std::vector<Changed> constrain(const Constraints& constraints, const SentenceLimits& limits,
                               std::span<const text::Token> history, std::span<Real> row) {
  if (history.size() < limits.prefix.size()) {
    Real& forced = row[static_cast<std::size_t>(limits.prefix[history.size()])];
    const Real kept = forced;
    std::ranges::fill(row, kNever);
    forced = kept;
    return {};
  }
  for (const text::Token token : constraints.forbidden) {
    row[static_cast<std::size_t>(token)] = kNever;
  }
  if (static_cast<std::int64_t>(history.size()) + 1 < limits.least) {
    row[static_cast<std::size_t>(text::kEnd)] = kNever;
  }
  if (constraints.unrepeated > 0) {
    forbid_repeats(history, static_cast<std::size_t>(constraints.unrepeated), row);
  }
  if (constraints.repetition_penalty == 1) return {};
  return penalise(constraints.repetition_penalty, history, row);
}

}  // namespace heed::decoding
