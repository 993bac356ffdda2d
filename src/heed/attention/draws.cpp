// SPDX-License-Identifier: Apache-2.0
// Sums of what was drawn, sequence by sequence.
#include "heed/attention/draws.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

// x [B,Q], of queries from `first` on -> [B,T].
Variable at_steps(const Draws::Entry& entry, const Variable& x, const DrawSteps& steps) {
  if (entry.site.queries != steps.strip) {
    return pad(reshape(sum(x, 1), {x.size(0), 1}), 1, {.after = steps.count - 1});
  }
  const std::int64_t after = steps.count - entry.first_query - x.size(1);
  if (after < 0) {
    throw UsageError("draws: \"{}\" attended from query {} to {}, but \"{}\" has {} steps",
                     entry.site.set, entry.first_query, entry.first_query + x.size(1) - 1,
                     steps.strip, steps.count);
  }
  return pad(x, 1, {.before = entry.first_query, .after = after});
}

}  // namespace

void Draws::attended(const ObservedAttention& observed) {
  if (observed.penalty.defined()) {
    penalty_ = penalty_.defined() ? penalty_ + observed.penalty : observed.penalty;
  }
  if (!observed.log_probability.defined()) return;
  entries_.push_back(
      {observed.site, observed.first_query, observed.log_probability, observed.entropy});
}

void Draws::count(std::string_view strip, const Ids& lengths) {
  if (lengths.shape().rank() != 1) {
    throw UsageError("draws: lengths {} of \"{}\"; it takes [B]", lengths.shape().text(), strip);
  }
  counts_.emplace_back(strip, lengths.packed());
}

// [B,H,Q] with zeros for queries that do not count.
Variable Draws::counted(const Entry& entry, const Variable& x) const {
  for (const auto& [strip, lengths] : counts_) {
    if (strip != entry.site.queries) continue;
    if (lengths.size() != x.size(0)) {
      throw UsageError("draws: {} lengths of \"{}\", but {} sequences attended; it takes one each",
                       lengths.size(), strip, x.size(0));
    }
    Tensor real = Tensor::zeros({x.size(0), 1, x.size(2)});
    Real* out = real.mutable_data();
    for (std::int64_t b = 0; b < x.size(0); ++b) {
      for (std::int64_t q = 0; q < x.size(2); ++q) {
        *out++ = entry.first_query + q < lengths.data()[b] ? Real{1} : Real{0};
      }
    }
    return x * real;
  }
  return x;
}

Variable Draws::total(Variable Entry::*field, const DrawSteps& steps) const {
  if (entries_.empty()) {
    throw UsageError(
        "draws: nothing was drawn; they are for a model whose attention has a normaliser that "
        "draws, such as sample");
  }
  Variables sums;
  for (const Entry& entry : entries_) {
    const Variable by_query = sum(counted(entry, entry.*field), 1);
    const Variable per_sequence =
        steps.count > 0 ? at_steps(entry, by_query, steps) : sum(by_query, 1);
    if (!sums.empty() && per_sequence.shape() != sums.front().shape()) {
      throw UsageError(
          "draws: \"{}\" attended for {} sequences and \"{}\" for {}; add up their entries "
          "yourself",
          entry.site.set, per_sequence.size(0), entries_.front().site.set, sums.front().size(0));
    }
    sums.push_back(per_sequence);
  }
  return sums.size() == 1 ? sums.front() : sum(stack(sums, 0), 0);
}

}  // namespace heed::attention
