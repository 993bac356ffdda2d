// SPDX-License-Identifier: Apache-2.0
// Numbers in, a tree out or an error that names the word.
#include "heed/text/heads.h"

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::text {
namespace {

std::int64_t head_number(std::string_view written, std::string_view where) {
  try {
    return parse_integer(written, "the number of a head");
  } catch (const UsageError& error) {
    throw DataError("{}: {}", where, error.what());
  }
}

// DataError where some word never gets to the root. A word is walked over once: those seen before,
// on another walk, are known to get there.
void check_roots(const Heads& heads, std::string_view where) {
  std::vector<std::size_t> walk(heads.size(), 0);  // the last that came by, from 1
  for (std::size_t first = 0; first < heads.size(); ++first) {
    std::size_t word = first;
    while (walk[word] == 0) {
      walk[word] = first + 1;
      const auto head = static_cast<std::size_t>(heads[word]);
      if (head != word && walk[head] == first + 1) {
        throw DataError(
            "{}: word {} hangs on itself, by way of others; every word must hang on "
            "the root in the end, which is 0",
            where, word + 1);
      }
      word = head;
    }
  }
}

}  // namespace

Heads parse_heads(std::string_view line, std::string_view where) {
  Heads heads;
  std::vector<std::int64_t> numbers;
  for (const std::string_view written : split(trim(line), ' ')) {
    if (!written.empty()) numbers.push_back(head_number(written, where));
  }
  const auto words = static_cast<std::int64_t>(numbers.size());
  for (std::int64_t word = 1; word <= words; ++word) {
    const std::int64_t head = numbers[static_cast<std::size_t>(word - 1)];
    if (head < 0 || head > words || head == word) {
      throw DataError(
          "{}: word {} hangs on {}; there are {} word{}, counted from 1, and 0 is the "
          "root",
          where, word, head == word ? "itself" : fmt::format("word {}", head), words,
          words == 1 ? "" : "s");
    }
    heads.push_back(static_cast<std::int32_t>(head == 0 ? word - 1 : head - 1));
  }
  check_roots(heads, where);
  return heads;
}

std::string write_heads(const Heads& heads) {
  std::string line;
  for (std::size_t word = 0; word < heads.size(); ++word) {
    const bool root = heads[word] == static_cast<std::int32_t>(word);
    line += fmt::format("{}{}", word == 0 ? "" : " ", root ? 0 : heads[word] + 1);
  }
  return line;
}

}  // namespace heed::text
