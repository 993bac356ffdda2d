// SPDX-License-Identifier: Apache-2.0
// Sequences from padded rows, and the places of their tokens.
#include "heed/models/sequences.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {

Sequences sequences(const text::TokenRows& rows) {
  return {Ids::of({rows.rows, rows.width}, std::span<const std::int32_t>(rows.ids)),
          Ids::of({rows.rows}, std::span<const std::int32_t>(rows.lengths))};
}

Variable by_sentence(const Variable& x) {
  const std::int64_t steps = x.size(0), batch = x.size(1);
  Ids places({batch, steps});
  std::int32_t* place = places.mutable_data();
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t t = 0; t < steps; ++t) *place++ = static_cast<std::int32_t>(t * batch + b);
  }
  return embedding(reshape(x, {steps * batch, x.size(2)}), places);
}

Ids token_places(const Sequences& sequences) {
  std::vector<std::int32_t> places;
  const std::int64_t width = sequences.ids.size(1);
  for (std::int64_t row = 0; row < sequences.lengths.size(); ++row) {
    const std::int32_t length = sequences.lengths.span()[static_cast<std::size_t>(row)];
    for (std::int32_t i = 0; i < length; ++i) {
      places.push_back(static_cast<std::int32_t>(row * width) + i);
    }
  }
  return Ids::of({static_cast<std::int64_t>(places.size())}, places);
}

Ids packed_targets(const Sequences& target) {
  const Ids places = token_places(target);
  Ids targets(places.shape());
  const Ids ids = target.ids.packed();
  std::ranges::transform(places.span(), targets.mutable_data(),
                         [&](std::int32_t place) { return ids.data()[place]; });
  return targets;
}

Ids shifted(const Ids& target) {
  const Ids ids = target.packed();
  Ids before(ids.shape());
  const std::int64_t width = ids.size(1);
  std::int32_t* out = before.mutable_data();
  for (std::int64_t row = 0; row < ids.size(0); ++row, out += width) {
    if (width == 0) break;
    out[0] = text::kBegin;
    std::copy_n(ids.data() + row * width, width - 1, out + 1);
  }
  return before;
}

void check_sequences(const char* model, const Sequences& sequences, std::int64_t longest) {
  const Ids& ids = sequences.ids;
  if (ids.rank() != 2 || sequences.lengths.shape() != Shape({ids.size(0)})) {
    throw UsageError("{}: ids {} and lengths {}; it takes [B,S] and [B]", model, ids.shape().text(),
                     sequences.lengths.shape().text());
  }
  if (longest > 0 && ids.size(1) > longest) {
    throw UsageError(
        "{}: a sequence of {} tokens, its end included, and {} positions were learned (--longest); "
        "give shorter ones, in training by --max-length {} at most, or train with more positions",
        model, ids.size(1), longest, longest - 1);
  }
  for (const std::int32_t length : sequences.lengths.span()) {
    if (length < 1 || length > ids.size(1)) {
      throw UsageError("{}: a sequence has {} tokens; it takes 1 to {}", model, length,
                       ids.size(1));
    }
  }
}

}  // namespace heed::models
