// SPDX-License-Identifier: Apache-2.0
// Sentences are numbered once; memories are lists of numbers.
#include "heed/pipeline/memory/story_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostSlots = 10'000;
constexpr std::int64_t kMostWords = 100'000;

std::int64_t size_in(std::string_view line, std::string_view what, std::int64_t most,
                     const std::string& name) {
  const std::vector<std::string_view> fields = split(line, '\t');
  std::int64_t size = 0;
  if (fields.size() == 2 && fields[0] == what) {
    const char* end = fields[1].data() + fields[1].size();
    const auto [stop, error] = std::from_chars(fields[1].data(), end, size);
    if (error == std::errc() && stop == end && size >= 1 && size <= most) return size;
  }
  throw DataError(
      "{}: \"{}\" where \"{}<TAB>NUMBER\" should be, from 1 to {}; the file is damaged or was "
      "changed",
      name, shorten(line, 40), what, most);
}

// The words of a text that may be shared.
std::set<text::Token> words_in(const text::Tokens& words) {
  std::set<text::Token> all(words.begin(), words.end());
  all.erase(models::kNullWord);
  return all;
}

}  // namespace

std::string written_sizes(const MemorySizes& sizes) {
  return fmt::format("slots\t{}\nwords\t{}\n", sizes.slots, sizes.words);
}

MemorySizes parse_sizes(std::string_view text, const std::string& name) {
  std::vector<std::string_view> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  if (lines.size() != 2) {
    throw DataError(
        "{}: {} lines, and it takes two: the slots of a memory and the words of a "
        "sentence; the file is damaged or was changed",
        name, lines.size());
  }
  return {.slots = size_in(lines[0], "slots", kMostSlots, name),
          .words = size_in(lines[1], "words", kMostWords, name)};
}

std::unique_ptr<text::Tokeniser> story_vocabulary(std::span<const text::Story> stories) {
  std::vector<std::string> lines;
  for (const text::Story& story : stories) {
    for (const text::StorySentence& sentence : story.sentences) {
      lines.push_back(text::plain_words(sentence.text));
    }
    for (const text::StoryQuestion& question : story.questions) {
      lines.push_back(text::plain_words(question.text));
      lines.push_back(text::plain_words(question.answer));
    }
  }
  return text::train_tokeniser({.kind = text::TokeniserKind::spaced,
                                .size = std::numeric_limits<text::Token>::max(),
                                .lower_case = true},
                               lines);
}

std::int32_t StoryTable::number_of(std::string_view sentence) {
  if (const auto known = texts_.find(sentence); known != texts_.end()) return known->second;
  text::Tokens words = tokeniser_->encode(text::plain_words(sentence)).tokens;
  std::ranges::replace(words, text::kUnknown, models::kNullWord);
  const auto next = static_cast<std::int32_t>(sentences_.size());
  const auto [entry, fresh] = numbers_.emplace(words, next);
  if (fresh) sentences_.push_back(std::move(words));
  texts_.emplace(sentence, entry->second);
  return entry->second;
}

std::int32_t StoryTable::checked(std::string_view sentence, const MemorySizes& sizes,
                                 const std::string& name, std::uint64_t line) {
  const std::int32_t number = number_of(sentence);
  if (const std::size_t count = words(number).size();
      count > static_cast<std::size_t>(sizes.words)) {
    throw DataError(
        "{}:{}: a sentence of {} words, and those that the model learnt from have {} at most; "
        "write it shorter, or train with such sentences",
        name, line, count, sizes.words);
  }
  return number;
}

AskedQuestion StoryTable::add(const text::Story& story, const text::StoryQuestion& question,
                              const MemoryRules& rules, const std::string& name) {
  AskedQuestion asked{.question = checked(question.text, rules.sizes, name, question.line),
                      .line = question.line};
  asked.answer = tokeniser_->find(text::plain_words(question.answer));
  const std::set<text::Token> wanted = words_in(words(asked.question));
  for (std::size_t i = 0; i < question.sentences; ++i) {
    const std::string& sentence = story.sentences[i].text;
    const std::uint64_t line = story.sentences[i].line;
    const bool pair = rules.memories == Memories::key_value;
    const text::KeyValueText sides =
        pair ? text::key_and_value(sentence) : text::KeyValueText{sentence, sentence};
    const std::int32_t key = checked(sides.key, rules.sizes, name, line);
    if (rules.candidates == Candidates::shared_words &&
        std::ranges::none_of(words(key), [&](text::Token word) { return wanted.contains(word); })) {
      continue;
    }
    asked.keys.push_back(key);
    if (pair) asked.values.push_back(checked(sides.value, rules.sizes, name, line));
    asked.places.push_back(static_cast<int>(i));
  }
  const auto most = static_cast<std::size_t>(rules.sizes.slots);
  if (asked.keys.size() > most) {
    const auto old = static_cast<std::ptrdiff_t>(asked.keys.size() - most);
    asked.keys.erase(asked.keys.begin(), asked.keys.begin() + old);
    if (!asked.values.empty()) asked.values.erase(asked.values.begin(), asked.values.begin() + old);
    asked.places.erase(asked.places.begin(), asked.places.begin() + old);
  }
  for (const int place : question.support) {
    const auto slot = std::ranges::find(asked.places, place);
    asked.support.push_back(
        slot == asked.places.end() ? -1 : static_cast<int>(slot - asked.places.begin()));
  }
  return asked;
}

MemorySizes sizes_of(std::span<const text::Story> stories, std::int64_t most) {
  MemorySizes sizes;
  const auto count = [](std::string_view text) {
    return static_cast<std::int64_t>(text::words_of(text::plain_words(text)).size());
  };
  for (const text::Story& story : stories) {
    for (const text::StorySentence& sentence : story.sentences) {
      sizes.words = std::max(sizes.words, count(sentence.text));
    }
    for (const text::StoryQuestion& question : story.questions) {
      sizes.words = std::max(sizes.words, count(question.text));
      sizes.slots =
          std::max(sizes.slots, std::min(most, static_cast<std::int64_t>(question.sentences)));
    }
  }
  return sizes;
}

std::vector<std::int32_t> noisy_ages(std::int64_t count, double share, Random& random) {
  const auto most = static_cast<std::uint64_t>(std::ceil(static_cast<double>(count) * share));
  const std::int64_t places = count + static_cast<std::int64_t>(random.integer(most + 1));
  std::vector<std::int32_t> all(static_cast<std::size_t>(places));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i + 1);
  if (places > count) random.shuffle(all);
  all.resize(static_cast<std::size_t>(count));
  std::ranges::sort(all, std::greater<>());
  return all;
}

models::StoryBatch story_batch(const StoryTable& table, std::span<const AskedQuestion> questions,
                               std::span<const std::size_t> chosen, const MemorySizes& sizes,
                               double time_noise, Random* noise) {
  const auto count = static_cast<std::int64_t>(chosen.size());
  const auto slots = static_cast<std::size_t>(sizes.slots);
  std::vector<std::int32_t> rows(table.size(), -1);  // of each sentence in this batch
  std::vector<std::int32_t> used = {models::kEmptySentence};
  rows[models::kEmptySentence] = 0;
  const auto row_of = [&](std::int32_t sentence) {
    std::int32_t& row = rows[static_cast<std::size_t>(sentence)];
    if (row < 0) {
      row = static_cast<std::int32_t>(used.size());
      used.push_back(sentence);
    }
    return row;
  };
  const std::size_t cells = chosen.size() * slots;
  std::vector<std::int32_t> asked, lengths, keys(cells, 0), values(cells, 0), ages(cells, 0);
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    const AskedQuestion& question = questions[chosen[b]];
    asked.push_back(row_of(question.question));
    const std::size_t length = question.keys.size();
    lengths.push_back(static_cast<std::int32_t>(length));
    std::vector<std::int32_t> own;
    if (noise != nullptr && time_noise > 0) {
      own = noisy_ages(static_cast<std::int64_t>(length), time_noise, *noise);
    }
    for (std::size_t i = 0; i < length; ++i) {
      keys[b * slots + i] = row_of(question.keys[i]);
      if (!question.values.empty()) values[b * slots + i] = row_of(question.values[i]);
      ages[b * slots + i] = own.empty() ? static_cast<std::int32_t>(length - i) : own[i];
    }
  }
  const auto words = static_cast<std::size_t>(sizes.words);
  std::vector<std::int32_t> sentences(used.size() * words, models::kNullWord);
  for (std::size_t u = 0; u < used.size(); ++u) {
    const text::Tokens& tokens = table.words(used[u]);
    std::copy_n(tokens.begin(), std::min(tokens.size(), words),
                sentences.begin() + static_cast<std::ptrdiff_t>(u * words));
  }
  const Shape cell_shape{count, sizes.slots};
  return {.sentences = Ids::of({static_cast<std::int64_t>(used.size()), sizes.words}, sentences),
          .questions = Ids::of({count}, asked),
          .keys = Ids::of(cell_shape, keys),
          .values = Ids::of(cell_shape, values),
          .ages = Ids::of(cell_shape, ages),
          .lengths = Ids::of({count}, lengths)};
}

std::vector<StoryFile> read_story_files(std::span<const std::string> files,
                                        const text::HoldOut& held, HeldOut which) {
  std::vector<StoryFile> all;
  for (const std::string& file : files) {
    StoryFile& mine = all.emplace_back();
    mine.name = file;
    for (text::Story& story : text::read_stories(file)) {
      if (story.questions.empty()) continue;
      const std::uint64_t line =
          story.sentences.empty() ? story.questions.front().line : story.sentences.front().line;
      if (held.fraction > 0 && held.holds(line) != (which == HeldOut::alone)) continue;
      mine.stories.push_back(std::move(story));
    }
    if (mine.stories.empty()) {
      throw DataError("{}: no story is {}; give a {} --valid-fraction, or --valid", file,
                      which == HeldOut::alone ? "held out to validate with" : "left to learn from",
                      which == HeldOut::alone ? "larger" : "smaller");
    }
  }
  return all;
}

}  // namespace heed::pipeline
