// SPDX-License-Identifier: Apache-2.0
// Rows of tables as spreadsheets write them (RFC 4180): fields between separators, and fields in
// quotes, which may hold separators, line breaks and, doubled, quotes.
//
//   good,"Clean rooms, ""quiet"" street."   ->   good | Clean rooms, "quiet" street.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::text {

struct TableForm {
  char separator = ',';
  bool quotes = true;  // whether a field that begins with a quote ends with one

  bool operator==(const TableForm&) const = default;
};

// Follows the quotes of one row over its lines.
class QuoteScanner {
 public:
  explicit QuoteScanner(TableForm form) : form_(form) {}
  // Whether the row goes on behind this line, inside quotes.
  bool open_after(std::string_view line);

 private:
  TableForm form_;
  bool open_ = false;
};

// The fields of a row, without the quotes around them. DataError that opens with `where` for text
// behind a closing quote and for a quote that is never closed.
std::vector<std::string> fields_of(std::string_view row, TableForm form, const std::string& where);

// A field as a text of one line: a space for each line break.
std::string one_line(std::string_view field);

// The separator that cuts all these rows into the same number of fields, two or more: a comma, a
// semicolon, a tab or a bar; a comma where none does. `lines` are those
// of the head of a table; rows may have several.
char separator_of(const std::vector<std::string>& lines);

// Whether rows between tabs are written as spreadsheets do: each field that begins with a quote is
// a field in quotes, and some show that a program put these: quotes doubled inside, tabs or line
// breaks inside, or a whole column in quotes.
bool has_spreadsheet_quotes(const std::vector<std::string>& lines);

}  // namespace heed::text
