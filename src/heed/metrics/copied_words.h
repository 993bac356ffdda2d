// SPDX-License-Identifier: Apache-2.0
// How many words that a translator never saw it has copied: names, numbers, terms.
#pragma once  // public header

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// Words, cut as the tokeniser of words cuts them (text/word_rules.h).
class KnownWords {
 public:
  void add(std::string_view line);
  bool contains(std::string_view word) const { return words_.contains(std::string(word)); }

 private:
  std::unordered_set<std::string> words_;
};

// The words that count: those of a reference that its source has and that are not known.
struct CopiedWords {
  std::size_t words = 0;
  std::size_t in_place = 0;  // the hypothesis has the word with the same number, counted from 0
  std::size_t present = 0;   // the hypothesis has it anywhere, as often

  double share_in_place() const;
  double share_present() const;
};

struct CopiedLines {
  std::span<const std::string> sources;
  std::span<const std::string> hypotheses;
  std::span<const std::string> references;
};
// UsageError for unequal counts.
CopiedWords copied_words(const CopiedLines& lines, const KnownWords& known);

}  // namespace heed::metrics

#pragma GCC visibility pop
