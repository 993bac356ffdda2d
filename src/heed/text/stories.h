// SPDX-License-Identifier: Apache-2.0
// Stories with questions, as the bAbI tasks write them (Weston 2015). A line is a number and a
// sentence, or a number, a question, a tab, its answer and perhaps a tab and the numbers of the
// lines that decide it. The number 1 begins a story; questions have numbers too, but are no part
// of it; blank lines are passed over.
//
//   1 Mary moved to the bathroom.
//   2 John went to the hallway.
//   3 Where is Mary?<TAB>bathroom<TAB>1
//
// A sentence may be a key and a value with an arrow between them: "4 Anna mother => Clara".
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/lines.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

inline constexpr std::string_view kValueArrow = "=>";

struct StorySentence {
  std::string text{};       // the whole of it
  std::uint64_t line = 0;   // of its file, from 1
  std::int64_t number = 0;  // that it begins with

  bool operator==(const StorySentence&) const = default;
};

struct StoryQuestion {
  std::string text{};
  std::string answer{};        // empty: not known
  std::size_t sentences = 0;   // of the story that come before it
  std::vector<int> support{};  // those that decide it, from 0, in the order of the file
  std::uint64_t line = 0;

  bool operator==(const StoryQuestion&) const = default;
};

struct Story {
  std::vector<StorySentence> sentences{};
  std::vector<StoryQuestion> questions{};

  bool operator==(const Story&) const = default;
};

// Most sentences of a story: more are a file that lost its numbers.
inline constexpr std::size_t kMostSentences = 10'000;

class StoryReader {
 public:
  // "-" is standard input. DataError when it cannot be opened.
  explicit StoryReader(const std::filesystem::path& path) : lines_(path) {}

  // The next story; false after the last. DataError with file and line for a line without its
  // number, a number that does not follow the one before, a question without a text or an answer,
  // an answer of several words, and supporting facts that are no earlier sentences of the story.
  bool next(Story& story);
  const std::string& name() const { return lines_.name(); }

 private:
  LineReader lines_;
  std::string ahead_;  // the first line of the next story
  std::uint64_t ahead_line_ = 0;
};

// All stories of a file. DataError when there is none, and when none has a question.
std::vector<Story> read_stories(const std::filesystem::path& path);

// The sentences of a text that a user wrote: numbered lines as above, their questions left out;
// else a line each or, of one line, by punctuation. Without the numbers.
std::vector<std::string> story_sentences(std::string_view text);

// Whether a line begins with a number and a space, as those of stories do.
bool is_numbered(std::string_view line);

// What white space separates, in small letters, without the . ? ! at its ends: the words that a
// memory network reads.
std::string plain_words(std::string_view sentence);
// A sentence cut at its arrow; without one both are the whole.
struct KeyValueText {
  std::string_view key;
  std::string_view value;
};
KeyValueText key_and_value(std::string_view sentence);

}  // namespace heed::text

#pragma GCC visibility pop
