// SPDX-License-Identifier: Apache-2.0
// The rules of mteval-v13a by hand: each pass reads the text the pass before it wrote.
#include "heed/metrics/bleu_tokens.h"

#include "heed/metrics/characters.h"

namespace heed::metrics {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_point(char c) {
  return c == '.' || c == ',';
}

// ASCII punctuation but for the apostrophe, the hyphen, the full stop and the comma; the space too.
bool stands_alone(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

std::string part_symbols(std::string_view text) {
  std::string parted;
  for (const char c : text) {
    if (stands_alone(c)) {
      parted += {' ', c, ' '};
    } else {
      parted += c;
    }
  }
  return parted;
}

// A full stop or comma that no digit precedes. The pair is used up: of ",," only the first is cut.
std::string part_points_after(std::string_view text) {
  std::string parted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    parted += text[i];
    if (i + 1 < text.size() && !is_digit(text[i]) && is_point(text[i + 1])) {
      parted += {' ', text[++i], ' '};
    }
  }
  return parted;
}

// A full stop or comma that no digit follows.
std::string part_points_before(std::string_view text) {
  std::string parted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 < text.size() && is_point(text[i]) && !is_digit(text[i + 1])) {
      parted += {' ', text[i], ' ', text[i + 1]};
      ++i;
    } else {
      parted += text[i];
    }
  }
  return parted;
}

// A hyphen after a digit.
std::string part_hyphens(std::string_view text) {
  std::string parted;
  for (std::size_t i = 0; i < text.size(); ++i) {
    parted += text[i];
    if (i + 1 < text.size() && is_digit(text[i]) && text[i + 1] == '-') {
      parted += {' ', text[++i], ' '};
    }
  }
  return parted;
}

std::string tokenise_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  text = " " + text + " ";
  return part_hyphens(part_points_before(part_points_after(part_symbols(text))));
}

}  // namespace

const std::vector<std::string>& bleu_tokens_names() {
  static const std::vector<std::string> names = {"13a", "none", "char"};
  return names;
}

std::string_view name_of(BleuTokens tokens) {
  return bleu_tokens_names().at(static_cast<std::size_t>(tokens));
}

std::vector<std::string> bleu_tokens(std::string_view line, BleuTokens tokens) {
  std::vector<std::string> found;
  if (tokens == BleuTokens::characters) {
    for (const std::string_view character : characters(line)) {
      if (!is_space(character)) found.emplace_back(character);
    }
    return found;
  }
  const std::string text = tokens == BleuTokens::v13a ? tokenise_13a(line) : std::string(line);
  for (const std::string_view word : words(text)) found.emplace_back(word);
  return found;
}

}  // namespace heed::metrics
