// SPDX-License-Identifier: Apache-2.0
// Pairs of lines, a source and its target: from two files line by line, or from one file with a tab
// between them; or single lines, for tasks that have no target or write it otherwise.
//
//   PairReader pairs({.source = "train.en", .target = "train.fr"});
//   for (LinePair pair; pairs.next(pair);) { ... }
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "heed/base/error.h"
#include "heed/text/counted_lines.h"
#include "heed/text/lines.h"
#include "heed/text/table.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

// What a line of the source is when there is no file of targets: source<TAB>target, further columns
// left out; or a source without a target, tabs and all.
enum class Columns { source_target, source };

struct PairFiles {
  std::filesystem::path source;
  std::filesystem::path target{};
  Columns columns = Columns::source_target;
  // Whether lines empty on both sides are between documents, and are no pairs left out.
  bool documents = false;
  // Of a source that is a table: how its rows are written. A row in quotes may have several lines
  // and is one source, quotes and all (fields_of in table.h cuts it).
  std::optional<TableForm> table{};
  bool header = false;  // whether the first row names the columns, and is no source
  // Whether lines of a source begin with numbers, and those from a 1 up to the next are one.
  bool numbered = false;

  bool operator==(const PairFiles&) const = default;
};

struct LinePair {
  std::string source{};
  std::string target{};
  std::uint64_t line = 0;  // from 1; of a row its first
  // With PairFiles::documents the line its document begins with; a seek begins one.
  std::uint64_t document = 0;

  bool operator==(const LinePair&) const = default;
};

struct PairPosition {
  LinePosition source{};
  LinePosition target{};

  bool operator==(const PairPosition&) const = default;
};

class PairReader {
 public:
  // Lines for which `keep` is false are passed over in silence: how a validation set is held out.
  using Keep = std::function<bool(std::uint64_t line)>;

  // UsageError when both sides are standard input, DataError when a file cannot be opened.
  explicit PairReader(PairFiles files, Keep keep = nullptr, BadLines bad = BadLines::refused);

  // The next pair that has text on both sides, or on the one there is; false after the last.
  // DataError with file and line when one file ends before the other, a line has no tab, a file is
  // empty, or a line is bad (see LineReader).
  bool next(LinePair& pair);
  // Whether a file has further lines; the last of them may be without a pair.
  bool more() { return !ahead_.empty() || source_.more() || (target_ && target_->more()); }

  // Bytes read so far, unpacked, of both files, and whether a line read last was cut (BadLines).
  std::uint64_t bytes() const;
  bool was_cut() const { return source_.was_cut() || (target_ && target_->was_cut()); }

  const PairFiles& files() const { return files_; }
  std::string name() const;  // of the files, for messages
  // Pairs passed over because one side was empty, since the beginning or the last seek.
  const CountedLines& empty() const { return empty_; }
  // A DataError for a reader that gave no pair, with the reason: no text, or all of it left out by
  // `keep`, which is for validation.
  DataError nothing_left() const;
  PairPosition position() const;
  void seek(const PairPosition& position);

 private:
  bool read(LinePair& pair);
  bool read_row(LinePair& pair);
  bool read_numbered(LinePair& pair);
  [[noreturn]] void fail_unequal(LineReader& shorter, LineReader& longer);

  PairFiles files_;
  Keep keep_;
  LineReader source_;
  std::optional<LineReader> target_;
  CountedLines empty_{};
  std::uint64_t left_out_ = 0;  // with text, and `keep` was false
  std::uint64_t document_ = 0;  // the line it begins with; 0: with the next pair
  // Of numbered lines: the first of the next source, which has been read, and where it begins.
  std::string ahead_{};
  LinePosition ahead_place_{};
};

// Reads all that is left, which checks it, and goes back to where it was. The number of pairs.
std::uint64_t count_pairs(PairReader& pairs);

// A fixed choice of about `fraction` of all lines: the same for the same seed, whatever else is
// read.
struct HoldOut {
  double fraction = 0;
  std::uint64_t seed = 1;
  std::int64_t fold = 0;  // which of the parts of this size: no line is in two of them

  bool holds(std::uint64_t line) const;
};

}  // namespace heed::text

#pragma GCC visibility pop
