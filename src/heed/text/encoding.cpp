// SPDX-License-Identifier: Apache-2.0
// Encodings told apart by their bytes.
#include "heed/text/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heed/base/text.h"

namespace heed::text {
namespace {

// Bytes that Windows-1252 has a character for and latin1 only a control: quotes, dashes, the euro.
bool is_of_windows(unsigned char byte) {
  constexpr std::array<unsigned char, 5> kUnused = {0x81, 0x8D, 0x8F, 0x90, 0x9D};
  return byte >= 0x80 && byte <= 0x9F && std::ranges::find(kUnused, byte) == kUnused.end();
}

}  // namespace

std::string wide_encoding(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\xFF\xFE\0\0"sv) || head.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv)) return "UTF-16";
  // Without the mark: in letters of Europe every other byte is 0.
  const std::size_t pairs = std::min<std::size_t>(head.size(), 512) / 2;
  std::size_t first = 0;
  std::size_t second = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    first += head[2 * i] == '\0' ? 1 : 0;
    second += head[2 * i + 1] == '\0' ? 1 : 0;
  }
  if (pairs < 2) return {};
  if (second * 4 > pairs * 3 && first == 0) return "UTF-16LE";
  if (first * 4 > pairs * 3 && second == 0) return "UTF-16BE";
  return {};
}

std::string narrow_encoding(std::string_view line) {
  bool windows = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t bad = invalid_utf8(line.substr(at));
    const std::string_view good = line.substr(at, bad == line.npos ? line.npos : bad);
    if (std::ranges::any_of(good, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
      return {};
    }
    if (bad == line.npos) break;
    at += bad;
    windows = windows || is_of_windows(static_cast<unsigned char>(line[at]));
    ++at;
  }
  return windows ? "windows-1252" : "latin1";
}

std::string conversion(std::string_view encoding, std::string_view file) {
  return fmt::format("`iconv -f {} -t UTF-8 {} > NEW`", encoding, file);
}

std::string not_utf8(std::string_view line, std::size_t bad, std::string_view file,
                     std::uint64_t number) {
  const std::string seems = narrow_encoding(line);
  return fmt::format("{}:{}: byte {} of the line (0x{:02X}) is not UTF-8; {}", file, number,
                     bad + 1, static_cast<unsigned char>(line[bad]),
                     seems.empty()
                         ? "the rest of the line is: was the file damaged, or put together of two?"
                         : fmt::format("it seems to be {}: convert the file with {}", seems,
                                       conversion(seems, file)));
}

}  // namespace heed::text
