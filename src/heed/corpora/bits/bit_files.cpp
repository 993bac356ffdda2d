// SPDX-License-Identifier: Apache-2.0
// Words, lines, sequences.
#include "heed/corpora/bits/bit_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"

namespace heed::corpora {
namespace {

constexpr std::size_t kMostBits = 4096;  // of a word
constexpr std::string_view kBitSpaces = " \t\r,;";

std::vector<std::int8_t> bits_of(std::string_view word, const std::string& where) {
  if (word.empty()) throw DataError("{}: a vector without bits; write one as 1011", where);
  if (word.size() > kMostBits) {
    throw DataError("{}: a vector of {} bits; it may have {}", where, word.size(), kMostBits);
  }
  std::vector<std::int8_t> bits;
  for (const char digit : word) {
    if (digit != '0' && digit != '1') {
      throw DataError(
          "{}: \"{}\" is no vector of bits; write 0 and 1 alone, a number after a colon "
          "(1011:0.5), "
          "what is asked for after a slash (1011/01)",
          where, shorten(word, 20));
    }
    bits.push_back(static_cast<std::int8_t>(digit - '0'));
  }
  return bits;
}

double number_after_colon(std::string_view word, const std::string& where) {
  double number = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) {
    throw DataError("{}: \"{}\" after a colon is no number", where, shorten(word, 20));
  }
  return number;
}

BitVector vector_of(std::string_view word, const std::string& where) {
  BitVector vector;
  if (const std::size_t slash = word.find('/'); slash != word.npos) {
    vector.target = bits_of(word.substr(slash + 1), where);
    word = word.substr(0, slash);
  }
  if (const std::size_t colon = word.find(':'); colon != word.npos) {
    vector.number = number_after_colon(word.substr(colon + 1), where);
    word = word.substr(0, colon);
  }
  vector.bits = bits_of(word, where);
  return vector;
}

// Sequences of lines that come one after another.
class GatheredBits {
 public:
  explicit GatheredBits(std::string name) : name_(std::move(name)) {}

  void add(std::string_view line, std::size_t number) {
    const std::string where = fmt::format("{}:{}", name_, number);
    std::vector<BitVector> vectors = parse_bit_line(line, where);
    if (vectors.empty()) {
      open_ = false;
    } else if (vectors.size() > 1) {
      all_.push_back({std::move(vectors), where});
      open_ = false;
    } else if (open_) {
      all_.back().vectors.push_back(std::move(vectors.front()));
    } else {
      all_.push_back({std::move(vectors), where});
      open_ = true;
    }
  }

  std::vector<BitLines> all() && {
    if (all_.empty()) throw DataError("{}: no bits; write vectors such as 1011", name_);
    return std::move(all_);
  }

 private:
  std::string name_;
  std::vector<BitLines> all_{};
  bool open_ = false;  // whether a line of one word goes on with the last sequence
};

std::string digits_of(std::span<const std::int8_t> bits) {
  std::string text;
  for (const std::int8_t bit : bits) text += static_cast<char>('0' + bit);
  return text;
}

}  // namespace

std::vector<BitVector> parse_bit_line(std::string_view line, const std::string& where) {
  std::vector<BitVector> vectors;
  for (std::size_t at = 0; (at = line.find_first_not_of(kBitSpaces, at)) != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(kBitSpaces, at), line.size());
    vectors.push_back(vector_of(line.substr(at, end - at), where));
    at = end;
  }
  return vectors;
}

std::string written_bits(std::span<const BitVector> vectors) {
  std::vector<std::string> words;
  for (const BitVector& vector : vectors) {
    std::string word = digits_of(vector.bits);
    if (vector.number) word += fmt::format(":{}", *vector.number);
    if (!vector.target.empty()) word += "/" + digits_of(vector.target);
    words.push_back(std::move(word));
  }
  return join(words, " ");
}

std::vector<BitLines> read_bit_lines(const std::filesystem::path& path) {
  text::LineReader reader(path);
  GatheredBits gathered(reader.name());
  std::string line;
  while (reader.next(line)) gathered.add(line, reader.line());
  return std::move(gathered).all();
}

std::vector<BitLines> parse_bit_lines(std::string_view text, const std::string& name) {
  GatheredBits gathered(name);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) gathered.add(line, ++number);
  return std::move(gathered).all();
}

BitForm form_of(std::span<const BitLines> sequences, const std::string& name) {
  BitForm form{.task = BitTask::given, .bits = 0, .answers = 0};
  form.shortest = form.longest = std::ssize(sequences.front().vectors);
  for (const BitLines& sequence : sequences) {
    form.shortest = std::min(form.shortest, std::ssize(sequence.vectors));
    form.longest = std::max(form.longest, std::ssize(sequence.vectors));
    for (std::size_t i = 0; i < sequence.vectors.size(); ++i) {
      const BitVector& vector = sequence.vectors[i];
      const auto bits = std::ssize(vector.bits), asked = std::ssize(vector.target);
      if (form.bits == 0) form.bits = bits;
      if (form.answers == 0) form.answers = asked;
      if (bits != form.bits || (asked != 0 && asked != form.answers)) {
        throw DataError("{}: step {} of the sequence has {} bits{}; those before had {}{}",
                        sequence.where, i + 1, bits,
                        asked == 0 ? "" : fmt::format(" and asks for {}", asked), form.bits,
                        asked == 0 ? "" : fmt::format(" and asked for {}", form.answers));
      }
      if (vector.number) {
        throw DataError("{}: step {} of the sequence has a number; a file to learn from has bits",
                        sequence.where, i + 1);
      }
    }
  }
  if (form.answers == 0) {
    throw DataError("{}: no step asks for anything; write what it asks for after a slash: 1011/01",
                    name);
  }
  return form;
}

}  // namespace heed::corpora
