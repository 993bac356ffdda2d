// SPDX-License-Identifier: Apache-2.0
// A batch of text as a source.
#include "heed/models/encoder_decoder.h"

#include <algorithm>

namespace heed::models {

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

}  // namespace heed::models
