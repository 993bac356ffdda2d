// SPDX-License-Identifier: Apache-2.0
// An endless stream of batches: windows read in chunks, encoded in parallel, shuffled by counting.
#include "heed/text/batch_stream.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <string>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/stop.h"
#include "heed/base/threads.h"

namespace heed::text {
namespace {

// Lines wait here for the threads; bounded by both, so that long lines cannot fill the memory.
constexpr std::size_t kChunkPairs = 4096;
constexpr std::size_t kChunkBytes = 8 * 1024 * 1024;

// Streams 0, 1, ... of a seed belong to others; these begin with "BA".
std::uint64_t random_stream(std::uint64_t epoch, std::uint64_t window) {
  return 0x4241000000000000u ^ (epoch << 24) ^ window;
}

// At most `most` pairs; fewer at the end of the files only, or when they are long.
std::vector<LinePair> read_chunk(PairReader& pairs, std::size_t most) {
  std::vector<LinePair> chunk;
  std::size_t bytes = 0;
  LinePair pair;
  while (chunk.size() < std::min(most, kChunkPairs) && bytes < kChunkBytes && pairs.next(pair)) {
    bytes += pair.source.size() + pair.target.size();
    chunk.push_back(std::move(pair));
  }
  return chunk;
}

// The same whatever the number of threads; of several errors that of the first line is thrown.
std::vector<EncodedPair> encode_chunk(const LineEncoder& encode,
                                      const std::vector<LinePair>& chunk) {
  std::vector<EncodedPair> encoded(chunk.size());
  std::vector<std::exception_ptr> errors(chunk.size());
  parallel_for(chunk.size(), 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      try {
        encoded[i] = encode(chunk[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return encoded;
}

void add_lines(CountedLines& sum, const CountedLines& more) {
  for (const std::uint64_t line : more.first) {
    if (sum.first.size() < CountedLines::kKept) sum.first.push_back(line);
  }
  sum.count += more.count;
}

void add_report(StreamReport& sum, const StreamReport& more) {
  sum.pairs += more.pairs;
  sum.source_tokens += more.source_tokens;
  sum.target_tokens += more.target_tokens;
  sum.padded_tokens += more.padded_tokens;
  add_lines(sum.empty, more.empty);
  add_lines(sum.cropped, more.cropped);
  add_lines(sum.skipped, more.skipped);
  add_lines(sum.split, more.split);
}

void count_outcome(StreamReport& report, Outcome outcome, std::uint64_t line) {
  switch (outcome) {
    case Outcome::kept:
      return;
    case Outcome::cropped:
      return report.cropped.add(line);
    case Outcome::skipped:
      return report.skipped.add(line);
    case Outcome::split:
      return report.split.add(line);
    case Outcome::empty:
      return report.empty.add(line);
  }
}

}  // namespace

double StreamReport::padding_waste() const {
  if (padded_tokens == 0) return 0;
  return 1 -
         static_cast<double>(source_tokens + target_tokens) / static_cast<double>(padded_tokens);
}

BatchStream::BatchStream(PairReader pairs, const Tokeniser& source, const Tokeniser& target,
                         const BatchStreamOptions& options)
    : BatchStream(std::move(pairs), nullptr, options) {
  encode_ = PairEncoder{&source, &target, options.limit, pairs_.name(),
                        options.copies ? std::make_shared<const Copier>(source, target) : nullptr};
}

BatchStream::BatchStream(PairReader pairs, LineEncoder encode, const BatchStreamOptions& options)
    : pairs_(std::move(pairs)), encode_(std::move(encode)), options_(options) {
  cut_batches({}, options.size);  // refuses a size that holds nothing
  if (options.window_pairs == 0 || options.window_tokens == 0 || options.sort_pairs == 0) {
    throw UsageError(
        "a stream of batches with windows of {} pairs and {} tokens, sorted by {}, "
        "stands still; each must be at least 1",
        options.window_pairs, options.window_tokens, options.sort_pairs);
  }
  if (options.limit.max_length < 0) {
    throw UsageError("the length limit is {}: it takes a number of tokens, or 0 for any length",
                     options.limit.max_length);
  }
  position_.start = pairs_.position();
}

void BatchStream::add_pair(const LinePair& line, EncodedPair encoded) {
  count_outcome(window_report_, encoded.outcome, line.line);
  for (TokenPair& pair : encoded.pairs) {
    window_report_.source_tokens += pair.source.size();
    window_report_.target_tokens += pair.target.size();
    count_length(pair);
    window_.push_back(std::move(pair));
  }
}

void BatchStream::count_length(const TokenPair& pair) {
  const std::size_t length = std::max(pair.source.size(), pair.target.size());
  position_.longest = std::max<std::uint64_t>(position_.longest, length > 0 ? length - 1 : 0);
}

// What the next window begins with must not need what this one ends with.
void BatchStream::finish_document() {
  while (!last_ && !window_.empty()) {
    const PairPosition before = pairs_.position();
    LinePair line;
    if (!pairs_.next(line)) {
      last_ = true;
    } else if (line.document == window_.back().document) {
      add_pair(line, encode_(line));
    } else {
      add_lines(window_report_.empty, pairs_.empty());
      pairs_.seek(before);
      return;
    }
  }
}

void BatchStream::read_window() {
  window_.clear();
  window_report_ = {};
  pairs_.seek(position_.start);
  std::size_t lines = 0;
  std::size_t tokens = 0;
  last_ = false;
  while (lines < options_.window_pairs && tokens < options_.window_tokens) {
    stop_point();
    const std::vector<LinePair> chunk = read_chunk(pairs_, options_.window_pairs - lines);
    if (chunk.empty()) {
      last_ = true;
      break;
    }
    lines += chunk.size();
    std::vector<EncodedPair> encoded = encode_chunk(encode_, chunk);
    for (std::size_t i = 0; i < chunk.size(); ++i) add_pair(chunk[i], std::move(encoded[i]));
    tokens = window_report_.source_tokens + window_report_.target_tokens;
  }
  if (options_.context > 0) finish_document();
  window_report_.pairs = window_.size();
  add_lines(window_report_.empty, pairs_.empty());
  behind_ = pairs_.position();
  // A window may end exactly where the corpus does.
  if (!pairs_.more()) last_ = true;
}

void BatchStream::plan_window() {
  Random random(options_.seed, random_stream(position_.epoch, position_.window));
  order_.resize(window_.size());
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  random.shuffle(order_);
  const auto lengths_of = [&](std::uint32_t place) {
    return std::pair(window_[place].target.size(), window_[place].source.size());
  };
  const std::size_t parts = (order_.size() + options_.sort_pairs - 1) / options_.sort_pairs;
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t begin = order_.size() * i / parts;
    const std::size_t end = order_.size() * (i + 1) / parts;
    const std::span<std::uint32_t> part = std::span(order_).subspan(begin, end - begin);
    // Stable: pairs of equal lengths stay as shuffled. Up and down in turn, so that neighbours are
    // of like length where two parts meet.
    if (i % 2 == 0) std::ranges::stable_sort(part, std::less<>(), lengths_of);
    if (i % 2 == 1) std::ranges::stable_sort(part, std::greater<>(), lengths_of);
  }
  std::vector<std::size_t> lengths;
  for (const std::uint32_t place : order_) {
    const auto [target, source] = lengths_of(place);
    lengths.push_back(std::max(target, source));
  }
  std::vector<std::pair<std::size_t, std::size_t>> batches;  // begin and end in order_
  std::size_t first = 0;
  for (const std::size_t end : cut_batches(lengths, options_.size)) {
    batches.emplace_back(first, end);
    first = end;
  }
  random.shuffle(batches);
  batch_begins_.clear();
  batch_ends_.clear();
  window_report_.padded_tokens = 0;
  for (const auto& [begin, end] : batches) {
    batch_begins_.push_back(begin);
    batch_ends_.push_back(end);
    std::size_t source = 0;
    std::size_t target = 0;
    for (std::size_t item = begin; item < end; ++item) {
      source = std::max(source, window_[order_[item]].source.size());
      target = std::max(target, window_[order_[item]].target.size());
    }
    window_report_.padded_tokens += (end - begin) * (source + target);
  }
}

// To the first place, here or later, that has a batch.
void BatchStream::advance() {
  for (;;) {
    if (!loaded_) {
      // A corpus of one window is read once.
      const bool same = last_ && position_.window == 0 && !window_.empty();
      if (!same) read_window();
      plan_window();
      add_report(report_, window_report_);
      loaded_ = true;
    }
    if (position_.batch < batch_begins_.size()) return;
    loaded_ = false;
    position_.batch = 0;
    if (!last_) {
      ++position_.window;
      position_.start = behind_;
      continue;
    }
    if (complete_ && report_.pairs == 0) {
      if (report_.skipped.count == 0) throw pairs_.nothing_left();
      const bool lines = pairs_.files().columns == Columns::source;
      throw DataError("{}: no {} is left to learn from: {} without text{}, {} too long",
                      pairs_.name(), lines ? "line" : "pair", report_.empty.to_string(),
                      lines ? "" : " on a side", report_.skipped.to_string());
    }
    if (complete_) epoch_report_ = report_;
    complete_ = true;
    report_ = {};
    ++position_.epoch;
    // A file of one window keeps it; any other is read from its beginning.
    if (position_.window > 0) last_ = false;
    position_.window = 0;
    position_.start = {};
  }
}

PairBatch BatchStream::next() {
  advance();
  const std::size_t begin = batch_begins_[position_.batch];
  const std::size_t count = batch_ends_[position_.batch] - begin;
  ++position_.batch;
  return gather_batch(window_, std::span(order_).subspan(begin, count), options_.context);
}

BatchStream::Position BatchStream::position() const {
  return position_;
}

void BatchStream::seek(const Position& position) {
  const bool same = loaded_ && position.epoch == position_.epoch &&
                    position.window == position_.window && position.start == position_.start;
  position_ = position;
  if (same) {
    for (const TokenPair& pair : window_) count_length(pair);  // which is not read again
    return;
  }
  loaded_ = last_ = false;
  report_ = {};
  complete_ = position.window == 0;
  window_.clear();
}

}  // namespace heed::text
