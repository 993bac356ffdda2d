// SPDX-License-Identifier: Apache-2.0
// Rows cut at separators outside quotes.
#include "heed/text/table.h"

#include <algorithm>
#include <array>
#include <optional>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::text {
namespace {

// The fields, or what is wrong and in which field, counted from 1.
struct CutRow {
  std::vector<std::string> fields{};
  std::vector<bool> quoted{};
  std::string_view problem{};
};

CutRow cut_row(std::string_view row, TableForm form) {
  CutRow cut;
  for (std::size_t at = 0;;) {
    std::string& field = cut.fields.emplace_back();
    cut.quoted.push_back(form.quotes && at < row.size() && row[at] == '"');
    if (cut.quoted.back()) {
      for (++at;; at += 2) {
        const std::size_t quote = row.find('"', at);
        if (quote == row.npos) {
          cut.problem = "a quote opens and is never closed";
          return cut;
        }
        field.append(row.substr(at, quote - at));
        at = quote;
        if (at + 1 >= row.size() || row[at + 1] != '"') break;
        field.push_back('"');
      }
      ++at;
      if (at < row.size() && row[at] != form.separator) {
        cut.problem = "there is text behind the closing quote";
        return cut;
      }
    } else {
      const std::size_t end = std::min(row.find(form.separator, at), row.size());
      field.assign(row.substr(at, end - at));
      at = end;
    }
    if (at >= row.size()) return cut;
    ++at;
  }
}

// Lines put together to rows; the last may lack its end.
std::vector<std::string> whole_rows(const std::vector<std::string>& lines, TableForm form) {
  std::vector<std::string> rows;
  QuoteScanner scanner(form);
  bool open = false;
  for (const std::string& line : lines) {
    if (open) {
      rows.back() += '\n' + line;
    } else if (!trim(line).empty()) {
      rows.push_back(line);
    } else {
      continue;
    }
    open = scanner.open_after(line);
  }
  if (open) rows.pop_back();
  return rows;
}

// The number of fields that all rows have; none when they differ or are not well formed.
std::optional<std::size_t> common_width(const std::vector<std::string>& rows, TableForm form) {
  std::optional<std::size_t> width;
  for (const std::string& row : rows) {
    const CutRow cut = cut_row(row, form);
    if (!cut.problem.empty() || cut.fields.size() != width.value_or(cut.fields.size())) return {};
    width = cut.fields.size();
  }
  return width;
}

}  // namespace

bool QuoteScanner::open_after(std::string_view line) {
  if (!form_.quotes) return false;
  std::size_t at = 0;
  for (;;) {
    if (!open_) {
      if (at < line.size() && line[at] == '"') {
        open_ = true;
        ++at;
      } else {
        at = line.find(form_.separator, at);
        if (at == line.npos) return false;
        ++at;
        continue;
      }
    }
    at = line.find('"', at);
    if (at == line.npos) return true;
    if (at + 1 < line.size() && line[at + 1] == '"') {
      at += 2;
      continue;
    }
    open_ = false;
    at = line.find(form_.separator, at);  // text behind the quote is a mistake that fields_of names
    if (at == line.npos) return false;
    ++at;
  }
}

std::vector<std::string> fields_of(std::string_view row, TableForm form, const std::string& where) {
  CutRow cut = cut_row(row, form);
  if (cut.problem.empty()) return std::move(cut.fields);
  throw DataError(
      "{}: {} in column {}, \"{}\"; inside quotes a quote is written twice, and --quotes no reads "
      "quotes as they are",
      where, cut.problem, cut.fields.size(), shorten(one_line(row), 40));
}

std::string one_line(std::string_view field) {
  std::string line(field);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

char separator_of(const std::vector<std::string>& lines) {
  char best = ',';
  std::size_t most = 1;
  for (const char separator : std::array{',', ';', '\t', '|'}) {
    const TableForm form{separator};
    const std::size_t width = common_width(whole_rows(lines, form), form).value_or(0);
    if (width > most) {
      most = width;
      best = separator;
    }
  }
  return best;
}

bool has_spreadsheet_quotes(const std::vector<std::string>& lines) {
  constexpr TableForm kQuoted{'\t', true};
  std::vector<std::size_t> quoted;  // of each column
  bool escaped = false;
  const std::vector<std::string> rows = whole_rows(lines, kQuoted);
  std::size_t width = 0;
  for (const std::string& row : rows) {
    const CutRow cut = cut_row(row, kQuoted);
    if (!cut.problem.empty()) return false;
    if (width == 0) width = cut.fields.size();
    if (cut.fields.size() != width) return false;
    quoted.resize(width);
    for (std::size_t i = 0; i < width; ++i) {
      if (!cut.quoted[i]) continue;
      ++quoted[i];
      escaped = escaped || cut.fields[i].find_first_of("\t\n\"") != std::string::npos;
    }
  }
  const bool column = std::ranges::any_of(
      quoted, [&](std::size_t count) { return count > 1 && count + 1 >= rows.size(); });
  return escaped || column;
}

}  // namespace heed::text
