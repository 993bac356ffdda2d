// SPDX-License-Identifier: Apache-2.0
// Copied words, counted in their place and anywhere.
#include "heed/metrics/copied_words.h"

#include <algorithm>
#include <vector>

#include "heed/base/error.h"
#include "heed/text/word_rules.h"

namespace heed::metrics {
namespace {

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  for (const text::ByteSpan& span : text::cut_words(line)) {
    words.push_back(line.substr(span.begin, span.end - span.begin));
  }
  return words;
}

double share(std::size_t part, std::size_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

void KnownWords::add(std::string_view line) {
  for (const std::string_view word : words_in(line)) words_.emplace(word);
}

double CopiedWords::share_in_place() const {
  return share(in_place, words);
}

double CopiedWords::share_present() const {
  return share(present, words);
}

CopiedWords copied_words(const CopiedLines& lines, const KnownWords& known) {
  if (lines.sources.size() != lines.references.size() ||
      lines.hypotheses.size() != lines.references.size()) {
    throw UsageError("copied words: {} sources, {} hypotheses, {} references; it takes one of each",
                     lines.sources.size(), lines.hypotheses.size(), lines.references.size());
  }
  CopiedWords found;
  for (std::size_t i = 0; i < lines.references.size(); ++i) {
    const std::vector<std::string_view> source = words_in(lines.sources[i]);
    const std::vector<std::string_view> wanted = words_in(lines.references[i]);
    const std::vector<std::string_view> written = words_in(lines.hypotheses[i]);
    std::vector<std::string_view> left = written;  // each is found once
    for (std::size_t at = 0; at < wanted.size(); ++at) {
      if (known.contains(wanted[at]) || std::ranges::count(source, wanted[at]) == 0) continue;
      ++found.words;
      found.in_place += at < written.size() && written[at] == wanted[at];
      const auto same = std::ranges::find(left, wanted[at]);
      if (same == left.end()) continue;
      ++found.present;
      left.erase(same);
    }
  }
  return found;
}

}  // namespace heed::metrics
