// SPDX-License-Identifier: Apache-2.0
// Which sequences share a batch: neighbours in length, as many as the batch may hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/exported.h"
#include "heed/text/batch.h"
#include "heed/text/batch_size.h"
#include "heed/text/pair_encoder.h"

namespace heed::text {

// Cuts items 0, 1, ... of these lengths, already in order, into batches; gives where each ends.
// UsageError for a size that holds nothing.
std::vector<std::size_t> cut_batches(std::span<const std::size_t> lengths, const BatchSize& size);

// Sequences for a model that only reads: sorted by length, longest first, so that memory is at its
// most at once and little is left at the end for threads to wait for.
struct LineBatch {
  TokenRows rows{};
  std::vector<std::size_t> places{};  // of each row, in the order the sequences were given
};
// kEnd is added to each sequence. An empty one is a row of kEnd alone.
HEED_EXPORTED std::vector<LineBatch> line_batches(std::span<const Tokens> sequences,
                                                  const BatchSize& size);

// The same for pairs, whose sides end with kEnd already. PairBatch::lines are those of the pairs.
// With `context` sentences before each, from pairs of the same document that are before it.
std::vector<PairBatch> pair_batches(std::span<const TokenPair> pairs, const BatchSize& size,
                                    std::int64_t context = 0);

// The pairs at these places, padded.
PairBatch gather_batch(std::span<const TokenPair> pairs, std::span<const std::uint32_t> places,
                       std::int64_t context = 0);

}  // namespace heed::text
