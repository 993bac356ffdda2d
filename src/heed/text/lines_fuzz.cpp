// SPDX-License-Identifier: Apache-2.0
// Fuzz target of texts in files, plain and gz: lines, pairs of lines, and places to resume from.
#include "heed/text/lines.h"

#include <zlib.h>

#include "heed/base/fuzzing.h"
#include "heed/text/pairs.h"

namespace heed::test {
namespace {

// One gz member.
std::string gz_member(std::string_view text) {
  z_stream state{};
  deflateInit2(&state, 1, Z_DEFLATED, 16 + MAX_WBITS, 1, Z_DEFAULT_STRATEGY);
  std::string input(text);
  std::string result(deflateBound(&state, static_cast<uLong>(text.size())), '\0');
  state.next_in = reinterpret_cast<Bytef*>(input.data());
  state.avail_in = static_cast<uInt>(input.size());
  state.next_out = reinterpret_cast<Bytef*>(result.data());
  state.avail_out = static_cast<uInt>(result.size());
  deflate(&state, Z_FINISH);
  result.resize(state.total_out);
  deflateEnd(&state);
  return result;
}

struct Read {
  std::vector<std::string> lines = {};
  std::vector<text::LinePosition> places = {};  // before each line, and after the last
};

Read read_all(const std::string& path) {
  text::LineReader reader(path);
  Read read{.places = {reader.position()}};
  for (std::string line; reader.next(line);) {
    read.lines.push_back(line);
    read.places.push_back(reader.position());
  }
  return read;
}

void go_on_from_every_place(const std::string& path, const Read& read) {
  text::LineReader reader(path);
  for (std::size_t i = read.lines.size(); i-- > 0;) {
    reader.seek(read.places[i]);
    std::string line;
    require(reader.next(line) && line == read.lines[i], "a line is another when read again");
  }
}

void read_pairs(const std::string& path) {
  for (const text::Columns columns : {text::Columns::source, text::Columns::source_target}) {
    accepted([&] {
      text::PairReader pairs({.source = path, .columns = columns, .documents = true});
      for (text::LinePair pair; pairs.next(pair);) {
        require(pair.document > 0 && pair.document <= pair.line, "a pair without a document");
      }
    });
  }
}

bool read_lines(std::string_view bytes) {
  static MemoryFile file;
  static MemoryFile packed;
  file.hold(bytes);
  Read read;
  if (!accepted([&] { read = read_all(file.path()); })) return false;
  // A line is read again for every one before it when the file is gz.
  if (read.lines.size() <= 100) go_on_from_every_place(file.path(), read);
  read_pairs(file.path());
  if (!bytes.starts_with("\x1f\x8b")) {
    const std::size_t half = bytes.size() / 2;
    packed.hold(gz_member(bytes.substr(0, half)) + gz_member(bytes.substr(half)));
    require(read_all(packed.path()).lines == read.lines, "packed lines are others");
  }
  return true;
}

const FuzzTarget kLines("lines", read_lines);

}  // namespace
}  // namespace heed::test
