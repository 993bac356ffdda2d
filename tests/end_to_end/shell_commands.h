// SPDX-License-Identifier: Apache-2.0
// Command lines that pages and help texts show, taken apart as a shell would: words, pipes,
// redirections, comments.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "documents.h"

namespace heed::test {

using Words = std::vector<std::string>;

// Reads a line of a shell into simple commands, without running anything: quotes are taken off,
// redirections and comments dropped, `$(...)` read as commands of their own.
class ShellLine {
 public:
  explicit ShellLine(std::string_view line) : line_(line) {
    while (at_ < line_.size()) step();
    end_command();
  }

  std::vector<Words> commands;

 private:
  void step() {
    const char c = line_[at_];
    if (c == '#' && !in_word_) {
      at_ = line_.size();
    } else if (c == '\'') {
      take_quoted('\'');
    } else if (c == '"') {
      take_quoted('"');
    } else if (line_.substr(at_).starts_with("$(")) {
      take_inner();
    } else if (c == '\\' && at_ + 1 < line_.size()) {
      add(line_[at_ + 1]);
      at_ += 2;
    } else if (c == '|' || c == '&' || c == ';') {
      end_command();
      ++at_;
    } else if (c == '<' || c == '>') {
      if (word_ == "2") in_word_ = false, word_.clear();  // 2> is a redirection, too
      end_word();
      file_follows_ = true;
      at_ = std::min(line_.find_first_not_of("<>&", at_), line_.size());
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      end_word();
      ++at_;
    } else {
      add(c);
      ++at_;
    }
  }
  void add(char c) {
    word_ += c;
    in_word_ = true;
  }
  void take_quoted(char quote) {
    in_word_ = true;
    for (++at_; at_ < line_.size() && line_[at_] != quote;) {
      if (quote == '"' && line_.substr(at_).starts_with("$(")) {
        take_inner();
        continue;
      }
      if (quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
      word_ += line_[at_++];
    }
    ++at_;
  }
  void take_inner() {
    const std::size_t end = std::min(line_.find(')', at_), line_.size());
    for (Words& inner : ShellLine(line_.substr(at_ + 2, end - at_ - 2)).commands) {
      commands.push_back(std::move(inner));
    }
    in_word_ = true;
    at_ = std::min(end + 1, line_.size());
  }
  void end_word() {
    const bool assigns = words_.empty() && word_.find('=') != std::string::npos;  // COLUMNS=16
    if (in_word_ && !file_follows_ && !assigns) words_.push_back(word_);
    if (in_word_) file_follows_ = false;
    in_word_ = false;
    word_.clear();
  }
  void end_command() {
    end_word();
    if (!words_.empty()) commands.push_back(words_);
    words_.clear();
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  bool file_follows_ = false;
  Words words_;
};

// The calls of `heed` in a line, as their words; what runs it, as `taskset -c 0-3 heed ...`, is
// left out.
inline std::vector<Words> heed_calls(std::string_view line) {
  std::vector<Words> calls;
  for (const Words& words : ShellLine(line).commands) {
    const bool is_run = words.front() == "taskset" || words.front() == "time";
    const auto heed = is_run ? std::ranges::find(words, "heed") : words.begin();
    if (heed != words.end() && *heed == "heed") calls.emplace_back(heed, words.end());
  }
  return calls;
}

struct ShownCommand {
  std::string line = {};
  std::size_t number = 0;  // of its first line in the page
  bool is_whole = true;    // what the text mentions may be a piece: `heed view --gold`
};

// What a page shows and no test runs: indented lines, lines of sh blocks, and `heed ...` in the
// text. A line that ends in \ continues.
inline std::vector<ShownCommand> shown_commands(std::string_view page) {
  std::vector<ShownCommand> shown;
  std::string fence;  // its kind, while inside
  bool continues = false;
  std::size_t number = 0;
  for (const std::string_view line : split(page, '\n')) {
    ++number;
    if (line.starts_with("```")) {
      fence = fence.empty() ? std::string(line) : "";
      continue;
    }
    const bool indented = fence.empty() && line.starts_with("    ");
    if (indented || fence == "```sh") {
      std::string command(trim(line));
      if (command.starts_with("$ ")) command.erase(0, 2);
      const bool more = command.ends_with('\\');
      if (more) command.pop_back();
      if (continues) {
        shown.back().line += command;
      } else {
        shown.push_back({command, number});
      }
      continues = more;
    } else if (fence.empty()) {
      for (const std::string& span : found_in(std::string(line), "`(heed [^`]*)`")) {
        shown.push_back({span, number, false});
      }
    }
  }
  return shown;
}

}  // namespace heed::test
