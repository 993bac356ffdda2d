// SPDX-License-Identifier: Apache-2.0
// Numbered lines become sentences and questions; numbers of supporting lines become places.
#include "heed/text/stories.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/sentences.h"
#include "heed/text/unicode.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

// Where a message points to.
struct Place {
  const std::string& name;
  std::uint64_t line;

  template <typename... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> what, Values&&... values) const {
    throw DataError("{}:{}: {}", name, line, fmt::format(what, std::forward<Values>(values)...));
  }
};

struct NumberedLine {
  std::int64_t number = 0;
  std::string_view rest{};
};

// number 0: the line has none.
NumberedLine numbered(std::string_view line) {
  NumberedLine found;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, found.number);
  if (error != std::errc() || stop == end || *stop != ' ' || found.number < 1) return {};
  found.rest = line.substr(static_cast<std::size_t>(stop - line.data()));
  while (found.rest.starts_with(' ')) found.rest.remove_prefix(1);
  while (found.rest.ends_with(' ')) found.rest.remove_suffix(1);
  return found;
}

NumberedLine required_number(std::string_view line, const Place& place) {
  const NumberedLine found = numbered(line);
  if (found.number > 0) return found;
  place.fail(
      "\"{}\" does not begin with a number and a space; a line of a story is \"3 Mary went home.\" "
      "or \"4 Where is Mary?<TAB>home<TAB>3\"",
      shorten(line, 40));
}

std::vector<int> supporting(std::string_view field, const std::map<std::int64_t, int>& places,
                            const Place& place) {
  std::vector<int> support;
  for (const std::string_view word : words_of(field)) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const auto found = places.find(number);
    if (error != std::errc() || stop != word.data() + word.size() || found == places.end()) {
      place.fail(
          "the supporting fact \"{}\" is no sentence of this story before the question; give the "
          "numbers of its lines",
          shorten(word, 20));
    }
    support.push_back(found->second);
  }
  return support;
}

StoryQuestion question_of(std::string_view rest, const std::map<std::int64_t, int>& places,
                          const Place& place) {
  const std::vector<std::string_view> fields = split(rest, '\t');
  StoryQuestion question{.text = std::string(trim(fields[0])),
                         .answer = std::string(trim(fields[1])),
                         .sentences = places.size(),
                         .line = place.line};
  if (question.text.empty()) place.fail("there is no question before the tab");
  if (question.answer.empty()) {
    place.fail("there is no answer after the tab; a question is \"Where is Mary?<TAB>home<TAB>3\"");
  }
  if (words_of(question.answer).size() > 1) {
    place.fail(
        "the answer \"{}\" has several words, and it must be one; join them by commas, as in "
        "\"apple,milk\"",
        shorten(question.answer, 40));
  }
  if (fields.size() > 3) {
    place.fail(
        "{} tabs; a question has one or two: before its answer and before the numbers of "
        "its supporting facts",
        fields.size() - 1);
  }
  if (fields.size() == 3) question.support = supporting(fields[2], places, place);
  return question;
}

}  // namespace

bool is_numbered(std::string_view line) {
  return numbered(line).number > 0;
}

bool StoryReader::next(Story& story) {
  story = {};
  std::map<std::int64_t, int> places;  // of sentences, by their numbers
  std::int64_t before = 0;
  for (std::string line = std::move(ahead_);; line.clear()) {
    std::uint64_t at = ahead_line_;
    if (line.empty()) {
      if (!lines_.next(line)) break;
      at = lines_.line();
    }
    ahead_.clear();
    if (is_blank(line)) continue;
    const Place place{lines_.name(), at};
    const NumberedLine found = required_number(line, place);
    if (found.number == 1 && before > 0) {
      ahead_ = std::move(line);
      ahead_line_ = at;
      return true;
    }
    if (found.number != before + 1) {
      place.fail("number {} after {}; a story counts its lines from 1, questions included",
                 found.number, before);
    }
    before = found.number;
    if (found.rest.find('\t') != std::string_view::npos) {
      story.questions.push_back(question_of(found.rest, places, place));
      continue;
    }
    if (found.rest.empty()) place.fail("the line has a number and no sentence");
    if (story.sentences.size() == kMostSentences) {
      place.fail("more than {} sentences in a story; begin a new one with the number 1",
                 kMostSentences);
    }
    places[found.number] = static_cast<int>(story.sentences.size());
    story.sentences.push_back(
        {.text = std::string(found.rest), .line = at, .number = found.number});
  }
  return before > 0;
}

std::vector<Story> read_stories(const std::filesystem::path& path) {
  StoryReader reader(path);
  std::vector<Story> stories;
  std::size_t questions = 0;
  for (Story story; reader.next(story);) {
    questions += story.questions.size();
    stories.push_back(std::move(story));
  }
  if (stories.empty()) {
    throw DataError(
        "{}: no story; its lines are \"1 Mary went home.\", \"2 Where is "
        "Mary?<TAB>home<TAB>1\"",
        reader.name());
  }
  if (questions == 0) {
    throw DataError(
        "{}: {} and no question; one is a line with a tab, \"4 Where is Mary?<TAB>home<TAB>3\"",
        reader.name(), stories.size() == 1 ? "a story" : fmt::format("{} stories", stories.size()));
  }
  return stories;
}

std::vector<std::string> story_sentences(std::string_view text) {
  std::vector<std::string> sentences;
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!is_blank(line)) lines.push_back(trim(line));
  }
  if (lines.size() == 1 && !is_numbered(lines[0])) {
    for (const std::string_view sentence : sentences_of(lines[0])) sentences.emplace_back(sentence);
    return sentences;
  }
  const bool counted = std::ranges::all_of(lines, is_numbered);
  for (const std::string_view line : lines) {
    if (counted && line.find('\t') != std::string_view::npos) continue;
    sentences.emplace_back(counted ? numbered(line).rest : line);
  }
  return sentences;
}

std::string plain_words(std::string_view sentence) {
  std::string plain;
  for (std::string_view word : words_of(sentence)) {
    while (!word.empty() && std::string_view(".?!").find(word.back()) != std::string_view::npos) {
      word.remove_suffix(1);
    }
    if (word.empty()) continue;
    if (!plain.empty()) plain += ' ';
    plain += word;
  }
  return lower_cased(composed(plain));
}

KeyValueText key_and_value(std::string_view sentence) {
  const std::size_t arrow = sentence.find(kValueArrow);
  if (arrow == std::string_view::npos) return {sentence, sentence};
  return {trim(sentence.substr(0, arrow)), trim(sentence.substr(arrow + kValueArrow.size()))};
}

}  // namespace heed::text
