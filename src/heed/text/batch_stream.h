// SPDX-License-Identifier: Apache-2.0
// An endless stream of batches from a corpus of any size, shuffled by a seed, that can be left at
// any batch and taken up again there.
//
// The corpus is read in windows: as many pairs as memory may hold. A window is shuffled, sorted by
// length in parts, cut into batches, and the batches are shuffled. All of it is a function of the
// seed, the epoch and the window, so that a position is enough to find every batch again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heed/text/batch.h"
#include "heed/text/batch_plan.h"
#include "heed/text/counted_lines.h"
#include "heed/text/pair_encoder.h"
#include "heed/text/pairs.h"
#include "heed/text/tokeniser.h"

namespace heed::text {

struct BatchStreamOptions {
  BatchSize size{};
  LengthLimit limit{};
  std::uint64_t seed = 1;
  std::size_t window_pairs = 100'000;
  std::size_t window_tokens = 8'000'000;  // of both sides; whichever is reached first
  // Pairs sorted by length together. More: less padding; fewer: more chance in who meets whom.
  std::size_t sort_pairs = 20'000;
  // Sentences before each of its document that come with it; above 0 a window ends with a document.
  std::int64_t context = 0;
  bool copies = false;  // whether sources may be copied (copying.h)
};

// What a stretch of the stream was made of.
struct StreamReport {
  std::uint64_t pairs = 0;
  std::uint64_t source_tokens = 0;  // ends counted, padding not
  std::uint64_t target_tokens = 0;
  std::uint64_t padded_tokens = 0;  // of both sides, padding counted
  CountedLines empty{};             // a side without text, or whose text is normalised away
  CountedLines cropped{};
  CountedLines skipped{};  // too long
  CountedLines split{};

  // The share of all places in the batches that hold padding.
  double padding_waste() const;
};

class BatchStream {
 public:
  // Between two batches. A checkpoint keeps all these numbers.
  struct Position {
    std::uint64_t epoch = 0;    // from 0
    std::uint64_t window = 0;   // of the epoch
    std::uint64_t batch = 0;    // of the window
    PairPosition start{};       // of the window in the files
    std::uint64_t longest = 0;  // tokens of the longest side so far, its end not counted

    bool operator==(const Position&) const = default;
  };

  // The tokenisers may be one object and must outlive the stream.
  BatchStream(PairReader pairs, const Tokeniser& source, const Tokeniser& target,
              const BatchStreamOptions& options);
  // Lines become tokens as `encode` says; it has applied the length limit.
  BatchStream(PairReader pairs, LineEncoder encode, const BatchStreamOptions& options);

  // The next batch; after the last of an epoch comes the first of the next. DataError as of
  // PairReader and PairEncoder, and when a whole epoch leaves no pair.
  PairBatch next();

  std::string name() const { return pairs_.name(); }  // of the files
  const LengthLimit& limit() const { return options_.limit; }

  // Of the batch that next() will give.
  Position position() const;
  // Whether the batch given last was the last of its epoch.
  bool ended_epoch() const { return loaded_ && last_ && position_.batch == batch_begins_.size(); }
  // The same batches follow as followed when position() gave this. DataError when the files no
  // longer have such a place.
  void seek(const Position& position);

  // Batches of the window read last: of an epoch that has one window, all.
  std::size_t window_batches() const { return batch_begins_.size(); }

  // Of the windows read so far in this epoch, from its beginning or the last seek.
  const StreamReport& report() const { return report_; }
  // Of the last epoch that was read from its beginning to its end.
  const std::optional<StreamReport>& epoch_report() const { return epoch_report_; }

 private:
  void read_window();
  void finish_document();
  void count_length(const TokenPair& pair);
  void add_pair(const LinePair& line, EncodedPair encoded);
  void plan_window();
  void advance();

  PairReader pairs_;
  LineEncoder encode_;
  BatchStreamOptions options_;

  Position position_{};
  bool loaded_ = false;    // window_ and plan_ are those of position_
  bool last_ = false;      // the window is the last of its epoch
  bool complete_ = true;   // report_ begins with the epoch
  PairPosition behind_{};  // the window, in the files
  std::vector<TokenPair> window_;
  StreamReport window_report_{};             // without padding
  std::vector<std::uint32_t> order_{};       // of the window's pairs
  std::vector<std::size_t> batch_begins_{};  // in order_, in the order of the stream
  std::vector<std::size_t> batch_ends_{};
  StreamReport report_{};
  std::optional<StreamReport> epoch_report_{};
};

}  // namespace heed::text
