// SPDX-License-Identifier: Apache-2.0
// The guards of the project's words: nothing left behind, nothing of one machine, one spelling.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text.h"
#include "source_tree.h"

namespace heed::test {

inline std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::toupper(c); });
  return result;
}

// Whether text holds word with nothing like a letter before or after it.
inline bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) {
      return true;
    }
  }
  return false;
}

// The host name that text begins with.
inline std::string_view host_at(std::string_view text) {
  constexpr std::string_view kHost = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  return text.substr(0, text.find_first_not_of(kHost));
}

// Notes to oneself, folders of somebody's machine, and addresses other than these: what is
// installed comes from the system's own packages, so no other host has a place here.
inline Findings words_that_do_not_belong(const SourceTree& tree) {
  constexpr std::array kNotes = {"todo", "fixme", "xxx"};  // in capitals
  constexpr std::array kHomes = {"home", "root", "Users"};
  constexpr std::array kHosts = {"www.apache.org", "github.com", "keepachangelog.com",
                                 "semver.org",     "arxiv.org",  "doi.org",
                                 "www.w3.org",     "127.0.0.1",  // this machine
                                 "localhost",      "heed"};
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_text(file)) continue;
    std::size_t number = 0;
    for (const std::string_view line : split(file.text, '\n')) {
      ++number;
      const auto report = [&](std::string_view what) {
        findings.push_back(fmt::format("{}:{}: {}", file.path, number, what));
      };
      for (const std::string_view note : kNotes) {
        if (has_word(line, upper(note))) report(upper(note));
      }
      for (const std::string_view home : kHomes) {
        const std::string folder = fmt::format("/{}/", home);
        if (line.find(folder) != std::string_view::npos) report(folder);
      }
      constexpr std::string_view kScheme = "://";
      for (std::size_t at = line.find(kScheme); at != std::string_view::npos;
           at = line.find(kScheme, at + 1)) {
        const std::string_view host = host_at(line.substr(at + kScheme.size()));
        if (!host.empty() && std::ranges::count(kHosts, host) == 0) report(host);
      }
    }
  }
  return findings;
}

// The comment that opens a file, on one line.
inline std::string opening_of(const SourceFile& file) {
  std::string opening;
  for (const std::string_view line : split(file.text, '\n')) {
    if (!line.starts_with("//")) break;
    opening += std::string(trim(line.substr(2))) + " ";
  }
  return opening;
}

// Words of the field that a newcomer searches for: each is in the opening of a file of the library.
inline Findings missing_field_words(const SourceTree& tree) {
  constexpr std::array kWords = {
      "key/value cache",          "positional encoding",   "top-p",
      "n-gram blocking",          "teacher forcing",       "fine-tuning",
      "gradient clipping",        "masked language model", "online softmax",
      "FlashAttention",           "out-of-vocabulary",     "beam",
      "truncated backpropagation"};
  Findings findings;
  for (const std::string_view word : kWords) {
    const bool found = std::ranges::any_of(tree, [&](const SourceFile& file) {
      return file.path.starts_with("src/heed/") && is_cpp(file) &&
             lower(opening_of(file)).find(lower(word)) != std::string::npos;
    });
    if (!found) findings.push_back(fmt::format("no file of src/heed opens with \"{}\"", word));
  }
  return findings;
}

// What no word may hold: -ize for -ise and its forms, -or for -our.
inline std::vector<std::string> foreign_stems() {
  std::vector<std::string> stems;
  for (const char* stem : {"normali", "initiali", "optimi", "tokeni", "regulari", "quanti",
                           "vectori", "seriali", "recogni", "paralleli"}) {
    stems.push_back(stem + std::string("z"));
  }
  for (const char* stem : {"behavio", "neighbo", "colo"}) stems.push_back(stem + std::string("r"));
  return stems;
}

// Names that others have given: the standard library's, and what terminals call their colours.
inline bool is_given_name(std::string_view word) {
  constexpr std::array kGiven = {
      "initializer_list", "COLORTERM", "NO_COLOR", "truecolor", "COLORFGBG",
      // SentencePiece's
      "LoadFromSerializedProto", "normalization_rule_name",
      // files of Hugging Face and what they say
      "tokenizer", "tokenizer_config", "normalizer", "normalizers", "pre_tokenizer",
      "pretokenizers", "BertNormalizer", "BertPreTokenizer", "behavior", "normalize_before",
      "normalize_embedding", "Normalize", "2_Normalize", "do_normalize",
      // libjpeg's and libpng's
      "J_COLOR_SPACE", "jpeg_color_space", "out_color_space", "PNG_FORMAT_FLAG_COLOR", "png_color"};
  return std::ranges::find(kGiven, word) != kGiven.end();
}

// Words spelt as in Britain, in names and comments alike; names given by others are left as they
// are.
inline Findings foreign_spellings(const SourceTree& tree) {
  const std::vector<std::string> stems = foreign_stems();
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file) && !file.path.ends_with(".md")) continue;
    const std::string_view text = file.text;
    std::size_t line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      line += text[i] == '\n';
      if (!in_name(text[i])) continue;
      const std::size_t begin = i;
      while (i + 1 < text.size() && in_name(text[i + 1])) ++i;
      const std::string_view word = text.substr(begin, i + 1 - begin);
      const bool given = text.substr(0, begin).ends_with("std::") || is_given_name(word);
      const bool foreign = std::ranges::any_of(stems, [plain = lower(word)](const auto& stem) {
        return plain.find(stem) != std::string::npos;
      });
      if (foreign && !given) findings.push_back(fmt::format("{}:{}: {}", file.path, line, word));
    }
  }
  return findings;
}

}  // namespace heed::test
