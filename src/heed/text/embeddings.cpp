// SPDX-License-Identifier: Apache-2.0
// Pretrained word vectors: one pass over the file that keeps the rows somebody asks for.
#include "heed/text/embeddings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"

namespace heed::text {
namespace {

constexpr std::size_t kMostWidth = 65536;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields = split(line, ' ');
  std::erase_if(fields, [](std::string_view field) { return field.empty(); });
  return fields;
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

bool is_header(std::span<const std::string_view> fields) {
  std::uint64_t number = 0;
  return fields.size() == 2 && parse(fields[0], number) && parse(fields[1], number);
}

class Table {
 public:
  Table(const Tokeniser& tokeniser, const LineReader& reader)
      : tokeniser_(tokeniser), reader_(reader) {
    result_.rows.assign(static_cast<std::size_t>(tokeniser.size()), -1);
    matches_.assign(result_.rows.size(), Match::none);
  }

  void set_width(std::size_t width) {
    if (width == 0 || width > kMostWidth) {
      fail(fmt::format("the vectors have {} numbers, and 1 to {} are allowed", width, kMostWidth));
    }
    result_.width = width;
  }

  void add(std::span<const std::string_view> fields) {
    if (result_.width == 0) set_width(fields.size() - 1);
    if (is_phrase(fields)) return;
    if (fields.size() != result_.width + 1) {
      fail(fmt::format("a word and {} numbers, and {} numbers are needed as in the lines before",
                       fields.size() - 1, result_.width));
    }
    std::vector<float> vector(result_.width);
    for (std::size_t i = 0; i < vector.size(); ++i) {
      if (!parse(fields[i + 1], vector[i]) || !std::isfinite(vector[i])) {
        fail(fmt::format("\"{}\" is not a finite number", fields[i + 1]));
      }
    }
    ++result_.read;
    keep(tokeniser_.find(fields[0]), vector, Match::whole);
    keep(tokeniser_.find("\u2581" + std::string(fields[0])), vector, Match::behind_space);
  }

  Embeddings finish() {
    if (result_.read == 0) fail("there is no vector; each line must be a word and its numbers");
    return std::move(result_);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("{}:{}: {}", reader_.name(), reader_.line(), what);
  }

 private:
  // More fields than a word and its numbers, the last of the others being no number either.
  bool is_phrase(std::span<const std::string_view> fields) const {
    float number = 0;
    return fields.size() > result_.width + 1 &&
           !parse(fields[fields.size() - result_.width - 1], number);
  }

  enum class Match : char { none, behind_space, whole };

  void keep(Token token, std::span<const float> vector, Match match) {
    if (token < kFirstPiece) return;
    const auto place = static_cast<std::size_t>(token);
    if (matches_[place] >= match) return;
    matches_[place] = match;
    if (result_.rows[place] < 0) {
      result_.rows[place] = result_.found++;
      result_.values.insert(result_.values.end(), vector.begin(), vector.end());
    } else {
      const auto row = static_cast<std::ptrdiff_t>(result_.rows[place]);
      std::ranges::copy(vector,
                        result_.values.begin() + row * static_cast<std::ptrdiff_t>(result_.width));
    }
  }

  const Tokeniser& tokeniser_;
  const LineReader& reader_;
  Embeddings result_{};
  std::vector<Match> matches_{};  // [V]
};

}  // namespace

std::span<const float> Embeddings::vector(Token token) const {
  const auto place = static_cast<std::size_t>(token);
  if (token < 0 || place >= rows.size() || rows[place] < 0) return {};
  return std::span(values).subspan(static_cast<std::size_t>(rows[place]) * width, width);
}

Embeddings read_embeddings(const std::filesystem::path& path, const Tokeniser& tokeniser) {
  LineReader reader(path);
  Table table(tokeniser, reader);
  for (std::string line; reader.next(line);) {
    const std::vector<std::string_view> fields = fields_of(line);
    if (fields.empty()) table.fail("the line is empty; each must be a word and its numbers");
    if (reader.line() == 1 && is_header(fields)) {
      std::size_t width = 0;
      parse(fields[1], width);
      table.set_width(width);
      continue;
    }
    table.add(fields);
  }
  return table.finish();
}

}  // namespace heed::text
