// SPDX-License-Identifier: Apache-2.0
// Tests of the stream of batches: what it holds, how it shuffles, and that it continues anywhere.
#include "heed/text/batch_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::joined_lines;
using test::made_up_lines;
using test::message_of;
using test::put;
using test::TemporaryFolder;

bool operator==(const TokenRows& a, const TokenRows& b) {
  return a.rows == b.rows && a.width == b.width && a.ids == b.ids && a.lengths == b.lengths;
}
bool same(const PairBatch& a, const PairBatch& b) {
  return a.source == b.source && a.target == b.target && a.lines == b.lines;
}

class BatchStreamTest : public ::testing::Test {
 protected:
  BatchStreamTest() {
    put(folder_ / "source", joined_lines(source_));
    put(folder_ / "target", joined_lines(target_));
    words_ = train_tokeniser({.kind = TokeniserKind::words, .size = 5000}, source_);
  }
  BatchStream stream(const BatchStreamOptions& options) const {
    return {PairReader({.source = folder_ / "source", .target = folder_ / "target"}), *words_,
            *words_, options};
  }

  // All batches of the next epoch.
  static std::vector<PairBatch> epoch(BatchStream& stream) {
    std::vector<PairBatch> batches;
    batches.push_back(stream.next());
    const std::uint64_t now = stream.position().epoch;
    for (;;) {
      const BatchStream::Position before = stream.position();
      batches.push_back(stream.next());
      if (stream.position().epoch == now) continue;
      stream.seek(before);
      batches.pop_back();
      return batches;
    }
  }

  TemporaryFolder folder_;
  std::vector<std::string> source_ = made_up_lines(500, 12, 1);
  std::vector<std::string> target_ = made_up_lines(500, 12, 2);
  std::unique_ptr<Tokeniser> words_;
};

// Windows of 130 pairs: four of them, the last short.
const BatchStreamOptions kSmallWindows = {
    .size = {.tokens = 120}, .seed = 3, .window_pairs = 130, .sort_pairs = 50};

TEST_F(BatchStreamTest, GivesEveryPairOnceAnEpochWithItsOwnTokens) {
  BatchStream batches = stream(kSmallWindows);
  for (int round = 0; round < 2; ++round) {
    std::set<std::uint64_t> lines;
    for (const PairBatch& batch : epoch(batches)) {
      ASSERT_LE(batch.source.rows * std::max(batch.source.width, batch.target.width), 120);
      ASSERT_EQ(batch.source.rows, static_cast<std::int64_t>(batch.lines.size()));
      for (std::size_t row = 0; row < batch.lines.size(); ++row) {
        EXPECT_TRUE(lines.insert(batch.lines[row]).second);
        Tokens expected = words_->encode(source_[batch.lines[row] - 1]).tokens;
        expected.push_back(kEnd);
        const auto begin =
            batch.source.ids.begin() + static_cast<std::ptrdiff_t>(row) * batch.source.width;
        EXPECT_EQ(Tokens(begin, begin + batch.source.lengths[row]), expected);
      }
    }
    EXPECT_EQ(lines.size(), 500u);
  }
}

TEST_F(BatchStreamTest, TellsTheLastBatchOfAnEpochWhereverWindowsEnd) {
  for (const std::size_t window : {130, 125, 250, 500, 1000}) {  // 125 fits four times
    BatchStreamOptions options = kSmallWindows;
    options.window_pairs = window;
    BatchStream batches = stream(options);
    for (int round = 0; round < 2; ++round) {
      std::size_t pairs = 0;
      do {
        pairs += batches.next().lines.size();
      } while (!batches.ended_epoch() && pairs <= 500);
      EXPECT_EQ(pairs, 500) << "windows of " << window << ", epoch " << round;
    }
  }
}

TEST_F(BatchStreamTest, ShufflesAnewEachEpochAndByTheSeed) {
  const auto first_lines = [](BatchStream& batches) {
    std::vector<std::uint64_t> lines;
    for (const PairBatch& batch : epoch(batches)) lines.push_back(batch.lines[0]);
    return lines;
  };
  for (const std::size_t window : {std::size_t{130}, std::size_t{1000}}) {
    BatchStreamOptions options = kSmallWindows;
    options.window_pairs = window;
    BatchStream one = stream(options);
    BatchStream two = stream(options);
    options.seed = 4;
    BatchStream other = stream(options);
    const auto lines = first_lines(one);
    EXPECT_EQ(first_lines(two), lines);
    EXPECT_NE(first_lines(other), lines);
    EXPECT_NE(first_lines(one), lines);
  }
}

TEST_F(BatchStreamTest, GoesOnFromEveryBatchAsIfNeverStopped) {
  for (const std::size_t window : {std::size_t{130}, std::size_t{1000}}) {
    BatchStreamOptions options = kSmallWindows;
    options.window_pairs = window;
    BatchStream whole = stream(options);
    std::vector<PairBatch> batches;
    std::vector<BatchStream::Position> positions;
    while (whole.position().epoch < 2) {
      positions.push_back(whole.position());
      batches.push_back(whole.next());
    }
    ASSERT_GT(batches.size(), 100u);
    for (std::size_t at = 0; at < positions.size(); ++at) {
      BatchStream resumed = stream(options);
      resumed.seek(positions[at]);
      EXPECT_EQ(resumed.position(), positions[at]);
      const std::size_t end = std::min(at + 4, batches.size());
      for (std::size_t i = at; i < end; ++i) {
        ASSERT_TRUE(same(resumed.next(), batches[i])) << "left at " << at << ", batch " << i;
      }
    }
    // And back within one stream.
    whole.seek(positions[3]);
    EXPECT_TRUE(same(whole.next(), batches[3]));
  }
}

TEST_F(BatchStreamTest, IsTheSameForAnyNumberOfThreads) {
  std::vector<PairBatch> batches;
  for (const int threads : {1, 3}) {
    const ThreadScope scope(threads);
    BatchStream some = stream(kSmallWindows);
    if (threads == 1) batches = epoch(some);
    for (std::size_t i = 0; threads > 1 && i < batches.size(); ++i) {
      ASSERT_TRUE(same(some.next(), batches[i]));
    }
  }
}

TEST_F(BatchStreamTest, ReportsTokensAndPadding) {
  BatchStreamOptions options = kSmallWindows;
  options.window_pairs = 1000;
  BatchStream batches = stream(options);
  EXPECT_FALSE(batches.epoch_report().has_value());
  std::int64_t tokens = 0;
  std::int64_t places = 0;
  for (const PairBatch& batch : epoch(batches)) {
    tokens += batch.source.tokens() + batch.target.tokens();
    places += batch.source.rows * (batch.source.width + batch.target.width);
  }
  batches.next();
  ASSERT_TRUE(batches.epoch_report().has_value());
  const StreamReport& report = *batches.epoch_report();
  EXPECT_EQ(report.pairs, 500u);
  EXPECT_EQ(report.source_tokens + report.target_tokens, static_cast<std::uint64_t>(tokens));
  EXPECT_EQ(report.padded_tokens, static_cast<std::uint64_t>(places));
  EXPECT_NEAR(report.padding_waste(), 1 - static_cast<double>(tokens) / places, 1e-12);
}

TEST_F(BatchStreamTest, ReportsNoEpochThatItReadInPart) {
  BatchStream whole = stream(kSmallWindows);
  while (whole.position().window == 0) whole.next();
  BatchStream half = stream(kSmallWindows);
  half.seek(whole.position());
  while (half.position().epoch == 0) half.next();
  EXPECT_FALSE(half.epoch_report().has_value());
  while (half.position().epoch == 1) half.next();
  ASSERT_TRUE(half.epoch_report().has_value());
  EXPECT_EQ(half.epoch_report()->pairs, 500u);
}

TEST_F(BatchStreamTest, PadsLessWhenMorePairsAreSortedTogether) {
  std::map<std::size_t, double> waste;
  for (const std::size_t sorted : {std::size_t{1}, std::size_t{500}}) {
    BatchStream batches = stream({.size = {.tokens = 120}, .sort_pairs = sorted});
    batches.next();
    waste[sorted] = batches.report().padding_waste();
  }
  EXPECT_LT(waste[500], 0.7 * waste[1]);
}

TEST_F(BatchStreamTest, CountsWhatWasTooLongOrEmpty) {
  put(folder_ / "source", "ba.\n\nba ba ba ba.\nba. ba.\n");
  put(folder_ / "target", "ba.\nba\nba.\nba. ba.\n");
  const auto report = [&](TooLong choice) {
    BatchStream batches = stream({.limit = {.max_length = 3, .too_long = choice}});
    batches.next();
    return batches.report();
  };
  EXPECT_EQ(report(TooLong::skip).skipped.to_string(), "2 (lines 3, 4)");
  EXPECT_EQ(report(TooLong::skip).empty.to_string(), "1 (line 2)");
  EXPECT_EQ(report(TooLong::crop).cropped.to_string(), "2 (lines 3, 4)");
  EXPECT_EQ(report(TooLong::split).split.to_string(), "1 (line 4)");
  EXPECT_EQ(report(TooLong::split).skipped.to_string(), "1 (line 3)");
  EXPECT_EQ(report(TooLong::split).pairs, 3u);
  EXPECT_TRUE(holds(message_of<DataError>([&] { report(TooLong::fail); }), "line 3 has 5 source"));
}

TEST_F(BatchStreamTest, RefusesACorpusThatLeavesNothing) {
  put(folder_ / "source", "ba ba ba\n\n");
  put(folder_ / "target", "ba\nba\n");
  BatchStream batches = stream({.limit = {.max_length = 2, .too_long = TooLong::skip}});
  EXPECT_TRUE(holds(message_of<DataError>([&] { batches.next(); }),
                    "no pair is left to learn from: 1 (line 2) without text on a side, 1 (line 1) "
                    "too long"));
  put(folder_ / "target", "\n\n");
  BatchStream empty = stream({});
  EXPECT_TRUE(
      holds(message_of<DataError>([&] { empty.next(); }), "no pair with text on both sides"));
}

TEST_F(BatchStreamTest, RefusesOptionsThatStandStill) {
  EXPECT_TRUE(holds(message_of<UsageError>([&] { stream({.window_pairs = 0}); }), "stands still"));
  EXPECT_TRUE(
      holds(message_of<UsageError>([&] { stream({.size = {.tokens = 0}}); }), "holds nothing"));
  EXPECT_TRUE(holds(message_of<UsageError>([&] { stream({.limit = {.max_length = -1}}); }),
                    "the length limit is -1"));
}

// The most memory this process has held, in bytes.
std::uint64_t peak_memory() {
  const std::string status = read_file("/proc/self/status");
  return std::stoull(status.substr(status.find("VmHWM:") + 6)) * 1024;
}

TEST_F(BatchStreamTest, HoldsAWindowNotTheFile) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer keeps what was freed, which hides how much is held";
#endif
  const std::string lines = joined_lines(made_up_lines(2000, 12));
  std::size_t bytes = 0;
  {
    std::ofstream source(folder_ / "source", std::ios::binary);
    std::ofstream target(folder_ / "target", std::ios::binary);
    for (; bytes < 8'000'000; bytes += lines.size()) {
      source << lines;
      target << lines;
    }
  }
  BatchStream batches = stream({.window_pairs = 2000});
  batches.next();
  const std::uint64_t before = peak_memory();
  while (batches.position().epoch == 0) batches.next();
  EXPECT_GT(batches.epoch_report()->pairs, 150'000u);
  EXPECT_LT(peak_memory() - before, 3'000'000u);  // the two files have 16 MB
}

TEST_F(BatchStreamTest, BringsTheSentencesBeforeEachOfItsDocument) {
  // Documents of 3 sentences "s0" "s1" ...; windows of 4 pairs must grow to whole documents.
  std::string lines;
  std::vector<std::string> words;
  for (int i = 0; i < 30; ++i) {
    lines += fmt::format("s{}\n", i) + (i % 3 == 2 ? "\n" : "");
    words.push_back(fmt::format("s{}", i));
  }
  put(folder_ / "documents", lines);
  const auto tokeniser = train_tokeniser({.kind = TokeniserKind::words, .size = 100}, words);
  BatchStream stream(
      PairReader(
          {.source = folder_ / "documents", .target = folder_ / "documents", .documents = true}),
      *tokeniser, *tokeniser, {.size = {.tokens = 8}, .window_pairs = 4, .context = 2});
  std::size_t seen = 0;
  for (const PairBatch& batch : epoch(stream)) {
    for (std::int64_t row = 0; row < batch.source.rows; ++row, ++seen) {
      const auto line = static_cast<std::uint64_t>(batch.lines[static_cast<std::size_t>(row)]);
      const std::uint64_t number = line - 1 - (line - 1) / 4;  // without the empty lines
      for (std::uint64_t back = 1; back <= 2; ++back) {
        const std::int32_t found = batch.before.rows[static_cast<std::size_t>(row) * 2 + back - 1];
        if (number % 3 < back) {
          EXPECT_EQ(found, -1) << "sentence " << number;
        } else {
          ASSERT_GE(found, 0) << "sentence " << number;
          const Token token =
              batch.before.source.ids[static_cast<std::size_t>(found * batch.before.source.width)];
          EXPECT_EQ(tokeniser->piece(token), fmt::format("s{}", number - back));
        }
      }
    }
  }
  EXPECT_EQ(seen, 30u);
}

TEST_F(BatchStreamTest, BringsSourcesAsTheirTargetsTokensWhereTheyMayBeCopied) {
  put(folder_ / "en", "a Zorva\n");
  put(folder_ / "fr", "Zorva a\n");
  const auto tokeniser =
      train_tokeniser({.kind = TokeniserKind::words, .size = 9}, std::vector<std::string>{"a b"});
  BatchStream stream(PairReader({.source = folder_ / "en", .target = folder_ / "fr"}), *tokeniser,
                     *tokeniser, {.copies = true});
  const PairBatch batch = stream.next();
  const Token a = tokeniser->find("a");
  EXPECT_EQ(batch.source.ids, (Tokens{a, kUnknown, kEnd}));
  EXPECT_EQ(batch.copies.ids, (Tokens{a, tokeniser->size(), kEnd}));
  EXPECT_EQ(batch.target.ids, (Tokens{tokeniser->size(), a, kEnd}));
}

}  // namespace
}  // namespace heed::text
