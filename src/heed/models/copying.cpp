// SPDX-License-Identifier: Apache-2.0
// The choice between generating and copying, and what looking twice costs.
#include "heed/models/copying.h"

#include <algorithm>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

PointerGenerator::PointerGenerator(std::int64_t features, Random& random)
    : gate_(features, 1, random) {}

Variable PointerGenerator::operator()(const Choice& choice, const Encoded& encoded) const {
  const std::int64_t rows = choice.logits.size(0);
  return log_copy_mixture(choice.logits, reshape(gate_(choice.features), {rows}), choice.weights,
                          {.tokens = encoded.copies,
                           .sources = choice.sources,
                           .total = choice.logits.size(1) + encoded.own});
}

void set_copies(const char* model, const Source& source, std::int64_t vocabulary,
                Encoded& encoded) {
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
  encoded.copies = copies;
  encoded.own = std::max<std::int64_t>(last + 1 - vocabulary, 0);
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
