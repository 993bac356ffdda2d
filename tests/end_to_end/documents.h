// SPDX-License-Identifier: Apache-2.0
// Markdown pages taken apart: their fenced blocks, the names they give, and how output is compared.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text.h"

namespace heed::test {

// What is done with a block, by the words after its fence:
//   cpp            a part of main(), in the order of the page; at file scope when it opens a
//                  namespace; a whole program must be a file of examples/
//   output         what the cpp blocks of the page print, a piece of it each
//   console        lines `$ heed ...` are run, what follows must be their output
//   console loose  the same, where any number matches any other
//   diff           a change of the file named after +++, which must hold the lines without a sign
//   sh toml        are shown; their commands and mechanisms are checked, as are indented ones
//   cmake          is only shown
// In output, "..." matches anything.
struct Block {
  std::string kind = {};
  std::string text = {};
  std::size_t line = 0;  // of its first line in the page
};

inline std::vector<Block> blocks_of(std::string_view page) {
  std::vector<Block> blocks;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string_view line : split(page, '\n')) {
    ++number;
    if (line.starts_with("```")) {
      if (!inside) blocks.push_back({std::string(trim(line.substr(3))), "", number + 1});
      inside = !inside;
    } else if (inside) {
      blocks.back().text += std::string(line) + "\n";
    }
  }
  return blocks;
}

// The page without its blocks.
inline std::string prose_of(std::string_view page) {
  std::string prose;
  bool inside = false;
  for (const std::string_view line : split(page, '\n')) {
    if (line.starts_with("```")) inside = !inside;
    if (!inside && !line.starts_with("```")) prose += std::string(line) + "\n";
  }
  return prose;
}

inline bool is_program(const Block& block) {
  return block.text.find("int main(") != std::string::npos;
}

// One translation unit of all cpp blocks of a page; empty when it has none.
inline std::string program_of(const std::string& name, const std::vector<Block>& blocks) {
  std::string includes;
  std::string outside;
  std::string inside;
  for (const Block& block : blocks) {
    if (block.kind != "cpp" || is_program(block)) continue;
    std::string rest;
    for (const std::string_view line : split(block.text, '\n')) {
      // An empty line in its place, so that the compiler's line numbers are those of the page.
      if (line.starts_with("#include")) includes += std::string(line) + "\n";
      rest += line.starts_with("#include") ? "\n" : std::string(line) + "\n";
    }
    const bool at_file_scope = trim(rest).starts_with("namespace");
    (at_file_scope ? outside : inside) +=
        fmt::format("#line {} \"{}\"\n{}", block.line, name, rest);
  }
  if (inside.empty() && outside.empty()) return {};
  return includes + outside + "int main() {\n" + inside + "}\n";
}

struct Command {
  std::string line = {};    // without "$ "
  std::string output = {};  // as shown
};

inline std::vector<Command> commands_of(const Block& block) {
  std::vector<Command> commands;
  for (const std::string_view line : split(trim(block.text), '\n')) {
    if (line.starts_with("$ ")) {
      commands.push_back({std::string(line.substr(2)), ""});
    } else if (!commands.empty()) {
      commands.back().output += std::string(line) + "\n";
    }
  }
  return commands;
}

// Without the spaces at the ends of lines and the empty lines at the end.
inline std::string tidy(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    result += std::string(line.substr(0, line.find_last_not_of(" \t") + 1)) + "\n";
  }
  while (result.ends_with('\n')) result.pop_back();
  return result;
}

// For comparing where numbers differ from run to run: every number is #, a cell of a heatmap too,
// every picture of characters beyond ASCII is one ~, and runs of spaces are one.
inline std::string loosely(const std::string& text) {
  std::string result = std::regex_replace(text, std::regex("[0-9]+(\\.[0-9]+)?"), "#");
  result =
      std::regex_replace(result, std::regex("# min # s"), "# s");  // a slow build of the program
  result = std::regex_replace(result, std::regex("( [.:=+*#%@-])? +\\.?#"), " #");
  result = std::regex_replace(result, std::regex("[^\\x00-\\x7F]+"), "~");
  return std::regex_replace(result, std::regex(" +"), " ");
}

// Whether text is what is shown, where "..." stands for anything.
inline bool matches(std::string_view shown, std::string_view text) {
  constexpr std::string_view kAnything = "...";
  const std::size_t gap = shown.find(kAnything);
  if (gap == std::string_view::npos) return shown == text;
  if (!text.starts_with(shown.substr(0, gap))) return false;
  const std::string_view rest = shown.substr(gap + kAnything.size());
  for (std::size_t from = gap; from <= text.size(); ++from) {
    if (matches(rest, text.substr(from))) return true;
  }
  return false;
}

// The first group of every match.
inline std::vector<std::string> found_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
       ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

// What prose names: targets of links without their anchors, paths of the project, make targets.
inline std::vector<std::string> links_in(const std::string& prose) {
  std::vector<std::string> links;
  for (const std::string& link : found_in(prose, "\\]\\(([^)# ]+)")) {
    if (link.find("://") == std::string::npos) links.push_back(link);
  }
  return links;
}

inline std::vector<std::string> paths_in(const std::string& prose) {
  return found_in(
      prose, "`((?:src|apps|tests|tools|cmake|docs|benchmarks|examples|\\.ci)/[a-z0-9_./-]*)`");
}

inline std::vector<std::string> make_targets_in(const std::string& page) {
  return found_in(page, "(?:`|\\n|\\$ )make ([a-z0-9-]+)");
}

inline std::vector<std::string> verbs_in(const std::string& page) {
  return found_in(page, "(?:`|\\n|\\$ )heed ([a-z]+)");
}

}  // namespace heed::test
