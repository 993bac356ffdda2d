// SPDX-License-Identifier: Apache-2.0
// Pairs: two line readers in step, or one that is cut at tabs.
#include "heed/text/pairs.h"

#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

PairFiles checked(PairFiles files) {
  if (files.source.empty()) throw UsageError("pairs of lines: no source file is given");
  if (files.source == "-" && files.target == "-") {
    throw UsageError(
        "pairs of lines: source and target cannot both be standard input; give one file, or "
        "source<TAB>target on standard input");
  }
  return files;
}

}  // namespace

PairReader::PairReader(PairFiles files, Keep keep, BadLines bad)
    : files_(checked(std::move(files))), keep_(std::move(keep)), source_(files_.source, bad) {
  if (!files_.target.empty()) target_.emplace(files_.target, bad);
}

std::uint64_t PairReader::bytes() const {
  return source_.position().bytes + (target_ ? target_->position().bytes : 0);
}

std::string PairReader::name() const {
  return target_ ? source_.name() + " and " + target_->name() : source_.name();
}

bool PairReader::next(LinePair& pair) {
  while (read(pair)) {
    const bool no_source = is_blank(pair.source);
    const bool no_target = is_blank(pair.target);
    if (no_source && no_target) document_ = 0;
    const bool whole = !no_source && (!no_target || files_.columns == Columns::source);
    if (keep_ && !keep_(pair.line)) {
      left_out_ += whole ? 1 : 0;
      continue;
    }
    if (whole) {
      if (document_ == 0) document_ = pair.line;
      pair.document = files_.documents ? document_ : 0;
      return true;
    }
    if (!files_.documents || !no_source || !no_target) empty_.add(pair.line);
  }
  return false;
}

// All lines from a number 1 up to the next.
bool PairReader::read_numbered(LinePair& pair) {
  pair.source = std::move(ahead_);
  pair.line = ahead_place_.lines + 1;
  ahead_.clear();
  while (is_blank(pair.source)) {
    if (!source_.next(pair.source)) return false;
    pair.line = source_.line();
  }
  std::string line;
  for (LinePosition place = source_.position(); source_.next(line); place = source_.position()) {
    if (line.starts_with("1 ")) {
      ahead_ = std::move(line);
      ahead_place_ = place;
      return true;
    }
    if (pair.source.size() + line.size() > LineReader::kMostBytes) {
      throw DataError(
          "{}:{}: no line begins with the number 1 in {}; number the lines of each text "
          "from 1",
          source_.name(), pair.line, human_bytes(LineReader::kMostBytes));
    }
    if (!is_blank(line)) pair.source += '\n' + line;
  }
  return true;
}

// A line, or all lines of a row whose quotes are still open at their end.
bool PairReader::read_row(LinePair& pair) {
  if (files_.numbered) return read_numbered(pair);
  if (!source_.next(pair.source)) return false;
  pair.line = source_.line();
  if (!files_.table) return true;
  QuoteScanner scanner(*files_.table);
  std::string line;
  for (bool open = scanner.open_after(pair.source); open && source_.next(line);
       open = scanner.open_after(line)) {
    pair.source += '\n';
    pair.source += line;
    if (pair.source.size() > LineReader::kMostBytes) {
      throw DataError(
          "{}:{}: a quote opens in this row and is not closed in {}; inside quotes a quote is "
          "written twice, and --quotes no reads quotes as they are",
          source_.name(), pair.line, human_bytes(LineReader::kMostBytes));
    }
  }
  return true;
}

bool PairReader::read(LinePair& pair) {
  if (files_.header && source_.line() == 0) {
    // The header is the first row that is not blank, as labelled_form() finds it.
    bool more = read_row(pair);
    while (more && trim(pair.source).empty()) more = read_row(pair);
    if (!more) pair = {};
  }
  const bool found = read_row(pair);
  if (!found) pair.line = source_.line();
  if (target_) {
    const bool found_target = target_->next(pair.target);
    if (found && !found_target) fail_unequal(*target_, source_);
    if (!found && found_target) fail_unequal(source_, *target_);
  } else if (found && files_.columns == Columns::source_target) {
    const std::size_t tab = pair.source.find('\t');
    if (tab == std::string::npos) {
      throw DataError("{}:{}: there is no tab in \"{}\"; each line must be source<TAB>target",
                      source_.name(), pair.line, shorten(pair.source, 40));
    }
    const std::size_t end = pair.source.find('\t', tab + 1);
    pair.target.assign(pair.source, tab + 1,
                       end == std::string::npos ? std::string::npos : end - tab - 1);
    pair.source.resize(tab);
  }
  if (!found && source_.line() == 0) {
    throw DataError("{}: no line of text; at least one {} is needed", name(),
                    files_.columns == Columns::source ? "line" : "pair of lines");
  }
  return found;
}

DataError PairReader::nothing_left() const {
  const bool lines = files_.columns == Columns::source;
  if (left_out_ > 0) {
    return DataError(
        "{}: {} {}{} with text, all held out for validation, and none is left to learn from; lower "
        "--valid-fraction, or give validation data of its own",
        name(), left_out_, lines ? "line" : "pair", left_out_ == 1 ? "" : "s");
  }
  return DataError("{}: no {}; at least one is needed", name(),
                   lines ? "line with text" : "pair with text on both sides");
}

void PairReader::fail_unequal(LineReader& shorter, LineReader& longer) {
  const std::uint64_t lines = shorter.line();
  std::string line;
  while (longer.next(line)) {
  }
  throw DataError(
      "{} has {} lines and {} has {}: line {} is the first without a partner; line n of one must "
      "be the translation of line n of the other",
      shorter.name(), lines, longer.name(), longer.line(), lines + 1);
}

PairPosition PairReader::position() const {
  return {.source = ahead_.empty() ? source_.position() : ahead_place_,
          .target = target_ ? target_->position() : LinePosition{}};
}

void PairReader::seek(const PairPosition& position) {
  if (target_ && position.source.lines != position.target.lines) {
    throw DataError("{}: lines {} and {} are not a place to resume from: the two must be equal",
                    name(), position.source.lines, position.target.lines);
  }
  source_.seek(position.source);
  if (target_) target_->seek(position.target);
  empty_ = {};
  left_out_ = 0;
  document_ = 0;
  ahead_.clear();
}

std::uint64_t count_pairs(PairReader& pairs) {
  const PairPosition start = pairs.position();
  std::uint64_t count = 0;
  for (LinePair pair; pairs.next(pair);) ++count;
  pairs.seek(start);
  return count;
}

bool HoldOut::holds(std::uint64_t line) const {
  constexpr std::uint64_t kStream = 0x484F4C44;  // "HOLD": no other stream of the seed
  if (fraction <= 0) return false;
  const double drawn = uniform_float(philox(seed, kStream, line)[0]);
  const auto nth = static_cast<double>(fold);
  return drawn >= nth * fraction && drawn < (nth + 1) * fraction;
}

}  // namespace heed::text
