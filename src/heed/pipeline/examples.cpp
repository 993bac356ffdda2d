// SPDX-License-Identifier: Apache-2.0
// What is read is believed no more than a request: few lines, short, UTF-8, without control
// characters.
#include "heed/pipeline/examples.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kMostBytes = 16 * kLongestExample * 4;

bool is_fit(std::string_view text) {
  const auto is_odd = [](char byte) {
    return static_cast<unsigned char>(byte) < ' ' && byte != '\t';
  };
  return !trim(text).empty() && text.size() <= kLongestExample &&
         std::ranges::count(text, '\t') <= 1 && std::ranges::none_of(text, is_odd) &&
         invalid_utf8(text) == text.npos;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace

std::vector<std::string> chosen_examples(std::span<const std::string> texts, std::size_t count) {
  count = std::min(count, kMostExamples);
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    // The first fit one of each share.
    const std::size_t end = (i + 1) * texts.size() / count;
    for (std::size_t k = i * texts.size() / count; k < end; ++k) {
      if (!is_fit(texts[k]) || std::ranges::count(chosen, texts[k]) > 0) continue;
      chosen.push_back(texts[k]);
      break;
    }
  }
  return chosen;
}

void write_examples(const std::filesystem::path& folder, std::span<const std::string> examples) {
  std::string lines;
  for (const std::string& example : examples) lines += example + "\n";
  if (!lines.empty()) return write_atomically(folder / kExamplesFile, lines);
  std::error_code error;
  std::filesystem::remove(folder / kExamplesFile, error);
  if (error) {
    throw DataError("{}: cannot be removed: {}", (folder / kExamplesFile).string(),
                    error.message());
  }
}

std::vector<std::string> parse_examples(std::string_view file) {
  std::vector<std::string> examples;
  for (const std::string_view line : split(file, '\n')) {
    if (examples.size() < kMostExamples && is_fit(line)) examples.emplace_back(line);
  }
  return examples;
}

std::vector<std::string> read_examples(const std::filesystem::path& folder) {
  std::ifstream stream(folder / kExamplesFile, std::ios::binary);
  std::string file(kMostBytes, '\0');
  stream.read(file.data(), static_cast<std::streamsize>(file.size()));
  file.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return parse_examples(file);
}

std::string beginning_of(std::string_view text) {
  constexpr std::size_t kMostWords = 4;
  std::vector<std::string> words = split_words(text);
  if (words.empty()) return {};
  words.resize(std::clamp<std::size_t>(words.size() / 2, 1, kMostWords));
  return join(words, " ");
}

std::string with_gap(std::string_view text, std::string_view mark) {
  std::vector<std::string> words = split_words(text);
  if (words.size() < 3) return {};
  const auto is_word = [](const std::string& word) {
    return std::ranges::none_of(
        word, [](char byte) { return std::ispunct(static_cast<unsigned char>(byte)) != 0; });
  };
  // From the middle on to the end, then from the beginning.
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string& word = words[(words.size() / 2 + i) % words.size()];
    if (!is_word(word)) continue;
    word = mark;
    return join(words, " ");
  }
  return {};
}

}  // namespace heed::pipeline
