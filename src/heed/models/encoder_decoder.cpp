// SPDX-License-Identifier: Apache-2.0
// What every encoder-decoder shares: sequences from padded rows, and rows that beams keep.
#include "heed/models/encoder_decoder.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::models {
namespace {

nn::RecurrentStates rows_of(const nn::RecurrentStates& states, const Ids& rows) {
  nn::RecurrentStates mine;
  for (const RecurrentState& state : states) {
    mine.push_back({attention::rows_of(state.h, rows), attention::rows_of(state.c, rows)});
  }
  return mine;
}

template <typename Reorderable>
std::vector<Reorderable> rows_of(const std::vector<Reorderable>& all, const Ids& rows) {
  std::vector<Reorderable> mine;
  mine.reserve(all.size());
  for (const Reorderable& one : all) mine.push_back(one.reordered(rows));
  return mine;
}

}  // namespace

Sequences sequences(const text::TokenRows& rows) {
  return {Ids::of({rows.rows, rows.width}, std::span<const std::int32_t>(rows.ids)),
          Ids::of({rows.rows}, std::span<const std::int32_t>(rows.lengths))};
}

Source source_of(const text::PairBatch& batch) {
  Source source(sequences(batch.source));
  if (batch.copies.rows > 0) {
    source.copies = sequences(batch.copies).ids;
    std::int32_t* row = source.copies.mutable_data();
    for (const std::int32_t length : batch.copies.lengths) {
      std::fill(row + length, row + batch.copies.width, -1);
      row += batch.copies.width;
    }
  }
  const text::ContextRows& before = batch.before;
  if (before.source.rows > 0) {
    source.before = {sequences(before.source), sequences(before.target),
                     Ids::of({batch.source.rows, before.sentences}, before.rows)};
  }
  return source;
}

Encoded Encoded::reordered(const Ids& rows) const {
  return {.memories = rows_of(memories, rows),
          .initial = rows_of(initial, rows),
          .summary = attention::rows_of(summary, rows),
          .lengths = attention::rows_of(lengths, rows),
          .copies = attention::rows_of(copies, rows),
          .own = own,
          .before = before.reordered(rows)};
}

DecoderState DecoderState::reordered(const Ids& rows) const {
  return {.step = step,
          .recurrent = rows_of(recurrent, rows),
          .attentional = attention::rows_of(attentional, rows),
          .attentions = rows_of(attentions, rows),
          .history = rows_of(history, rows)};
}

DecoderState DecoderState::detached() const {
  const auto value = [](const Variable& x) { return Variable(x.value()); };
  DecoderState other{.step = step, .attentional = value(attentional)};
  for (const RecurrentState& layer : recurrent) {
    other.recurrent.push_back({value(layer.h), value(layer.c)});
  }
  for (const attention::AttentionState& one : attentions) {
    other.attentions.push_back(one.detached());
  }
  for (attention::Memory memory : history) {
    memory.keys = value(memory.keys);
    memory.values = value(memory.values);
    for (Variables& group : memory.projected) {
      for (Variable& one : group) one = value(one);
    }
    other.history.push_back(std::move(memory));
  }
  return other;
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
