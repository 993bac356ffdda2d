// SPDX-License-Identifier: Apache-2.0
// Which sequences share a batch.
#include "heed/text/batch_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/documents.h"

namespace heed::text {

std::vector<std::size_t> cut_batches(std::span<const std::size_t> lengths, const BatchSize& size) {
  if (size.sentences < 0 || (size.sentences == 0 && size.tokens < 1)) {
    throw UsageError("a batch of {} tokens or {} sentences holds nothing; give at least 1",
                     size.tokens, size.sentences);
  }
  const auto most_rows = static_cast<std::size_t>(size.sentences);
  const auto most_tokens = static_cast<std::size_t>(std::max<std::int64_t>(size.tokens, 0));
  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  std::size_t width = 0;
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    const std::size_t wider = std::max(width, lengths[item]);
    const std::size_t rows = item - begin + 1;
    const bool full = most_rows > 0 ? rows > most_rows : rows * wider > most_tokens;
    if (full && rows > 1) {
      ends.push_back(item);
      begin = item;
      width = lengths[item];
    } else {
      width = wider;
    }
  }
  if (begin < lengths.size()) ends.push_back(lengths.size());
  return ends;
}

std::vector<LineBatch> line_batches(std::span<const Tokens> sequences, const BatchSize& size) {
  std::vector<std::size_t> order(sequences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t place) { return sequences[place].size(); });
  std::vector<std::size_t> lengths;
  for (const std::size_t place : order) lengths.push_back(sequences[place].size() + 1);
  std::vector<LineBatch> batches;
  std::size_t begin = 0;
  for (const std::size_t end : cut_batches(lengths, size)) {
    std::vector<Tokens> rows;
    LineBatch& batch = batches.emplace_back();
    for (std::size_t item = begin; item < end; ++item) {
      batch.places.push_back(order[item]);
      rows.push_back(sequences[order[item]]);
      rows.back().push_back(kEnd);
    }
    batch.rows = pad_rows(rows);
    begin = end;
  }
  return batches;
}

std::vector<PairBatch> pair_batches(std::span<const TokenPair> pairs, const BatchSize& size,
                                    std::int64_t context) {
  std::vector<std::uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t place) {
    return std::pair(pairs[place].target.size(), pairs[place].source.size());
  });
  std::vector<std::size_t> lengths;
  for (const std::uint32_t place : order) {
    lengths.push_back(std::max(pairs[place].source.size(), pairs[place].target.size()));
  }
  std::vector<PairBatch> batches;
  std::size_t begin = 0;
  for (const std::size_t end : cut_batches(lengths, size)) {
    batches.push_back(gather_batch(pairs, std::span(order).subspan(begin, end - begin), context));
    begin = end;
  }
  return batches;
}

PairBatch gather_batch(std::span<const TokenPair> pairs, std::span<const std::uint32_t> places,
                       std::int64_t context) {
  PairBatch batch;
  std::vector<Tokens> sources;
  std::vector<Tokens> targets;
  std::vector<Tokens> copies;
  for (const std::uint32_t place : places) {
    sources.push_back(pairs[place].source);
    targets.push_back(pairs[place].target);
    if (!pairs[place].copies.empty()) copies.push_back(pairs[place].copies);
    batch.lines.push_back(pairs[place].line);
    batch.labels.push_back(pairs[place].labels);
  }
  batch.source = pad_rows(sources);
  batch.target = pad_rows(targets);
  batch.copies = pad_rows(copies);
  if (context == 0) return batch;
  const Previous before =
      previous_sentences(places, context, [&](std::size_t place) { return pairs[place].document; });
  sources.clear();
  targets.clear();
  for (const std::size_t place : before.places) {
    sources.push_back(pairs[place].source);
    targets.push_back(pairs[place].target);
  }
  batch.before = {pad_rows(sources), pad_rows(targets), context, before.rows};
  return batch;
}

}  // namespace heed::text
