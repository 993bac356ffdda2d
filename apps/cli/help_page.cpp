// SPDX-License-Identifier: Apache-2.0
// Lines of help are filled to a width; manual pages leave that to roff.
#include "cli/help_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "heed/base/text.h"

namespace heed::cli {
namespace {

constexpr std::string_view kRequired = "Required";
constexpr std::size_t kIndent = 2;
constexpr std::size_t kNamesWidth = 30;  // longer ones have a line of their own

// The headings in the order of the rows: required ones first, what every verb has last.
std::vector<std::string> sections_of(const HelpPage& page) {
  std::vector<std::string> sections;
  const auto add = [&](const std::string& section) {
    if (std::ranges::count(sections, section) == 0) sections.push_back(section);
  };
  for (const HelpRow& row : page.rows) {
    if (row.required) add(std::string(kRequired));
  }
  for (const HelpRow& row : page.rows) {
    if (!row.required && row.section != kGeneral) add(row.section);
  }
  for (const HelpRow& row : page.rows) {
    if (!row.required) add(row.section);  // of every verb, if any
  }
  return sections;
}

bool is_in(const HelpRow& row, std::string_view section) {
  return row.required ? section == kRequired : row.section == section;
}

std::string names_and_kind(const HelpRow& row) {
  return row.kind.empty() ? row.names : fmt::format("{} {}", row.names, row.kind);
}

std::string help_and_default(const HelpRow& row) {
  if (row.default_text.empty()) return row.help;
  return fmt::format("{} (default: {})", row.help, row.default_text);
}

// Words put into lines of at most `width` columns; a longer word has a line of its own. A line that
// begins with a space is a row of a table, and stays as it is.
std::vector<std::string> filled(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string_view paragraph : split(text, '\n')) {
    if (paragraph.starts_with(' ')) {
      lines.emplace_back(paragraph);
      continue;
    }
    std::string line;
    for (const std::string_view word : split(paragraph, ' ')) {
      if (word.empty()) continue;
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines.push_back(line);
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// A command over as many lines as it needs, joined as a shell wants it; quoted words stay whole.
std::string shown_command(std::string_view command, std::size_t width) {
  std::vector<std::string> words(1);
  bool quoted = false;
  for (const char letter : command) {
    if (letter == '"') quoted = !quoted;
    if (letter == ' ' && !quoted) {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  // An option stays beside its value.
  std::vector<std::string> pieces;
  for (const std::string& word : words) {
    const bool joins = !pieces.empty() && pieces.back().starts_with("--") &&
                       !word.starts_with('-') && pieces.back().find(' ') == std::string::npos;
    if (joins) {
      pieces.back() += " " + word;
    } else {
      pieces.push_back(word);
    }
  }
  std::string text(kIndent, ' ');
  std::size_t column = kIndent;
  for (const std::string& piece : pieces) {
    const bool first = column == kIndent && text.size() == kIndent;
    if (!first && column + 1 + piece.size() + 2 > width) {
      text += fmt::format(" \\\n{:{}}", "", 3 * kIndent);
      column = 3 * kIndent;
    } else if (!first) {
      text += ' ';
      ++column;
    }
    text += piece;
    column += piece.size();
  }
  return text;
}

std::string usage_of(const HelpPage& page) {
  std::string text = page.name;
  bool has_options = false;
  for (const HelpRow& row : page.rows) {
    const bool is_option = row.names.starts_with('-');
    if (!is_option) {
      text += row.required ? fmt::format(" {}", row.names) : fmt::format(" [{}]", row.names);
    } else if (row.required) {
      const std::string_view name = split(row.names, ' ').back();
      text += fmt::format(" {} {}", name, row.kind);
    } else {
      has_options = true;
    }
  }
  return has_options ? text + " [OPTIONS]" : text;
}

// Text that roff takes as it is: no escapes, no request at the beginning of a line.
std::string roff(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '\\') {
      safe += "\\e";
    } else if (letter == '-') {
      safe += "\\-";
    } else if ((letter == '.' || letter == '\'') && (safe.empty() || safe.back() == '\n')) {
      safe += "\\&";
      safe += letter;
    } else {
      safe += letter;
    }
  }
  return safe;
}

}  // namespace

std::string help_text(const HelpPage& page, std::size_t width) {
  std::string text = fmt::format("{} - {}\n\nUsage:\n{}\n", page.name, page.summary,
                                 shown_command(usage_of(page), width));
  if (!page.description.empty()) {
    text += '\n';
    for (const std::string& line : filled(page.description, width)) text += line + '\n';
  }
  if (!page.examples.empty()) {
    text += page.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
    for (const std::string& command : page.examples) text += shown_command(command, width) + '\n';
  }
  for (const std::string& section : sections_of(page)) {
    text += fmt::format("\n{}:\n", section);
    for (const HelpRow& row : page.rows) {
      if (!is_in(row, section)) continue;
      const std::string names = names_and_kind(row);
      text += fmt::format("{:{}}{}", "", kIndent, names);
      std::size_t column = kIndent + names.size();
      for (const std::string& line : filled(help_and_default(row), width - kIndent - kNamesWidth)) {
        if (column + 1 > kIndent + kNamesWidth) {
          text += '\n';
          column = 0;
        }
        text += fmt::format("{:{}}{}\n", "", kIndent + kNamesWidth - column, line);
        column = 0;
      }
      if (column > 0) text += '\n';
    }
  }
  return text;
}

std::string manual_page(const HelpPage& page, const std::string& version) {
  std::string name = page.name;
  std::ranges::replace(name, ' ', '-');
  std::string text = fmt::format(".TH \"{}\" 1 \"\" \"heed {}\" \"Heed\"\n", roff(name), version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(page.summary));
  text += fmt::format(".SH SYNOPSIS\n.nf\n{}\n.fi\n", roff(usage_of(page)));
  if (!page.description.empty())
    text += fmt::format(".SH DESCRIPTION\n{}\n", roff(page.description));
  for (const std::string& section : sections_of(page)) {
    text += fmt::format(".SH {}\n",
                        section == std::string_view(kGeneral) ? "GENERAL OPTIONS" : roff(section));
    for (const HelpRow& row : page.rows) {
      if (!is_in(row, section)) continue;
      text +=
          fmt::format(".TP\n.B {}\n{}\n", roff(names_and_kind(row)), roff(help_and_default(row)));
    }
  }
  if (!page.examples.empty()) {
    text += ".SH EXAMPLES\n.nf\n";
    for (const std::string& command : page.examples) text += roff(command) + '\n';
    text += ".fi\n";
  }
  return text;
}

}  // namespace heed::cli
