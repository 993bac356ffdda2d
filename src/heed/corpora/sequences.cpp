// SPDX-License-Identifier: Apache-2.0
// Drawing letters and putting them in order.
#include "heed/corpora/sequences.h"

#include <algorithm>
#include <numeric>

#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {

Example draw_sequence(SequenceTask task, std::int64_t length, Random& random) {
  std::string letters;
  for (std::int64_t i = 0; i < length; ++i) {
    letters += static_cast<char>('a' + random.integer(26));
  }
  std::vector<int> order(letters.size());  // the source's place of each letter of the target
  std::iota(order.begin(), order.end(), 0);
  if (task == SequenceTask::reverse) std::ranges::reverse(order);
  if (task == SequenceTask::sort) {
    std::ranges::stable_sort(order, {},
                             [&](int i) { return letters[static_cast<std::size_t>(i)]; });
  }
  Example example;
  std::vector<text::Link> links;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i > 0) {
      example.source += ' ';
      example.target += ' ';
    }
    example.source += letters[i];
    example.target += letters[static_cast<std::size_t>(order[i])];
    links.push_back({order[i], static_cast<int>(i)});
  }
  example.alignment = text::ordered(std::move(links));
  return example;
}

namespace {

template <SequenceTask task>
Example draw_letters(Random& random, const CorpusDraw& draw) {
  return draw_sequence(task, pick_between(random, draw.lengths.min, draw.lengths.max), random);
}

constexpr CorpusCard letters_card(std::string_view name, std::string_view description) {
  return {.name = name,
          .description = description,
          .size = 20'000,
          .source_suffix = "src",
          .target_suffix = "tgt",
          .min_length = 5,
          .max_length = 20};
}

const ListedCorpus kCopy(letters_card("copy", "Letters to write again"),
                         draw_letters<SequenceTask::copy>);
const ListedCorpus kReverse(letters_card("reverse", "Letters to write backwards"),
                            draw_letters<SequenceTask::reverse>);
const ListedCorpus kSort(letters_card("sort", "Letters to put in the order of the alphabet"),
                         draw_letters<SequenceTask::sort>);

}  // namespace
}  // namespace heed::corpora
