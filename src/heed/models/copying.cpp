// SPDX-License-Identifier: Apache-2.0
// The choice between generating and copying, and what looking twice costs.
#include "heed/models/copying.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

PointerGenerator::PointerGenerator(std::int64_t features, Random& random)
    : gate_(features, 1, random) {}

Variable PointerGenerator::operator()(const Choice& choice, const CopySource& source) const {
  const std::int64_t rows = choice.logits.size(0);
  return log_copy_mixture(choice.logits, reshape(gate_(choice.features), {rows}), choice.weights,
                          {.tokens = source.copies,
                           .sources = choice.sources,
                           .total = choice.logits.size(1) + source.own});
}

void PointerGenerator::show(const Shown& shown, attention::Observer& watch) const {
  if (!shown.weights.defined()) return;
  const Tensor looks = shown.weights.packed();
  const std::int64_t batch = looks.size(0), heads = looks.size(1), queries = looks.size(2),
                     places = looks.size(3);
  const Tensor gates = gate_(shown.features).value().packed();
  // Rows that no place names are padding.
  std::vector<Real> copying(static_cast<std::size_t>(batch * queries), 0);
  for (std::int64_t i = 0; i < shown.places.size(); ++i) {
    copying[static_cast<std::size_t>(shown.places.at({i}))] = 1 / (1 + std::exp(gates.data()[i]));
  }
  const std::int64_t first = std::max(shown.head, 0);
  const std::int64_t last = shown.head < 0 ? heads : first + 1;
  Tensor copies = Tensor::full({batch, 1, queries, places}, attention::kMasked);
  Real* out = copies.mutable_data();
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t q = 0; q < queries; ++q) {
      const Real share = copying[static_cast<std::size_t>(b * queries + q)];
      for (std::int64_t s = 0; s < places; ++s, ++out) {
        Real sum = 0;
        bool seen = false;
        for (std::int64_t head = first; head < last; ++head) {
          const Real weight = looks.data()[((b * heads + head) * queries + q) * places + s];
          seen = seen || !attention::is_masked(weight);
          sum += attention::share_of(weight);
        }
        if (seen) *out = share * sum / static_cast<Real>(last - first);
      }
    }
  }
  watch.attended({.site = {.role = attention::Role::copy,
                           .set = "copy",
                           .queries = "target",
                           .keys = "source",
                           .layer = shown.layer,
                           .stepwise = true},
                  .weights = std::move(copies)});
}

CopySource copy_source(const char* model, const Source& source, std::int64_t vocabulary) {
  if (!source.copies.defined() || source.copies.shape() != source.sentences.ids.shape()) {
    throw UsageError(
        "{}: it copies, and the source says of ids {} what they are in the target with {}; give "
        "Source::copies of the same shape",
        model, source.sentences.ids.shape().text(),
        source.copies.defined() ? source.copies.shape().text() : "nothing");
  }
  const Ids copies = source.copies.packed();
  const std::int32_t last =
      copies.size() == 0 ? 0 : *std::max_element(copies.data(), copies.data() + copies.size());
  return {copies, std::max<std::int64_t>(last + 1 - vocabulary, 0)};
}

Ids known_ids(const Ids& ids, std::int64_t vocabulary) {
  const Ids packed = ids.packed();
  Ids known(packed.shape());
  std::ranges::transform(packed.span(), known.mutable_data(),
                         [&](std::int32_t id) { return id < vocabulary ? id : text::kUnknown; });
  return known;
}

Ids counted_rows(std::int64_t count) {
  Ids rows({count});
  std::iota(rows.mutable_data(), rows.mutable_data() + count, 0);
  return rows;
}

Ids token_rows(const Sequences& sequences) {
  Ids rows = token_places(sequences);
  const auto width = static_cast<std::int32_t>(sequences.ids.size(1));
  for (std::int32_t& place : std::span(rows.mutable_data(), rows.span().size())) place /= width;
  return rows;
}

Variable coverage_loss(const Variable& copying, const Sequences& target) {
  const Variable covered = cumulative_sum(copying, 1) - copying;
  const Variable again = minimum(copying, covered);
  return sum(embedding(reshape(again, {-1, copying.size(2)}), token_places(target)));
}

}  // namespace heed::models
