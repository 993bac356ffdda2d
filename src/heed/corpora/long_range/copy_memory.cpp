// SPDX-License-Identifier: Apache-2.0
// Letters, blanks and a number.
#include "heed/corpora/long_range/copy_memory.h"

#include <fmt/format.h>

#include <vector>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

std::string copied_letter(std::int64_t which) {
  return std::string(1, static_cast<char>('a' + which));
}

}  // namespace

Example draw_copy_memory(Random& random, std::int64_t letters, std::int64_t words,
                         std::int64_t turn) {
  if (words < letters + 2) {
    throw UsageError("copy-memory: {} words; {} letters, a blank and the question take {} or more",
                     words, letters, letters + 2);
  }
  const std::int64_t asked = pick_between(random, 1, letters);
  std::vector<std::string> all(static_cast<std::size_t>(words), "-");
  for (std::int64_t i = 0; i < letters; ++i) {
    all[static_cast<std::size_t>(i)] = copied_letter(pick_between(random, 0, kCopyLetters - 1));
  }
  const std::string answer = copied_letter(turn % kCopyLetters);
  all[static_cast<std::size_t>(asked - 1)] = answer;
  all.back() = fmt::format("{}", asked);
  return {
      .source = join(all, " "), .labels = {answer}, .evidence = {{static_cast<int>(asked - 1)}}};
}

namespace {

const ListedCorpus kCopyMemory(
    {.name = "copy-memory",
     .description = "Letters, thousands of blanks, and the question which letter it was",
     .kind = CorpusKind::labelled,
     .size = 10'000,
     .units = "texts",
     .min_length = 2'010,
     .max_length = 2'010,
     .aspects = "letter",
     .longest = 1'000'000,
     .settings = {{"letters", 8, 1, 1'000, "that may be asked for"}}},
    [](Random& random, const CorpusDraw& draw) {
      return draw_copy_memory(random, draw.settings[0],
                              pick_between(random, draw.lengths.min, draw.lengths.max), draw.turn);
    });

}  // namespace
}  // namespace heed::corpora
