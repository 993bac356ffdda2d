// SPDX-License-Identifier: Apache-2.0
// Reading and writing alignments as Pharaoh did.
#include "heed/text/pharaoh.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::text {
namespace {

Link parse_link(std::string_view word, const PharaohOptions& options) {
  const char* const end = word.data() + word.size();
  Link link;
  const auto source = std::from_chars(word.data(), end, link.source);
  const bool has_mark = source.ec == std::errc() && source.ptr != end &&
                        (*source.ptr == '-' || *source.ptr == 'p' || *source.ptr == '?');
  const auto target = has_mark ? std::from_chars(source.ptr + 1, end, link.target) : source;
  if (!has_mark || target.ec != std::errc() || target.ptr != end) {
    throw DataError("{}: \"{}\" is not a link; one is SOURCE-TARGET, or SOURCEpTARGET if possible",
                    options.where, word);
  }
  if (link.source < options.first || link.target < options.first) {
    throw DataError("{}: the link \"{}\" is before the first word, which is {}", options.where,
                    word, options.first);
  }
  link.sure = *source.ptr == '-';
  link.source -= options.first;
  link.target -= options.first;
  return link;
}

}  // namespace

Alignment ordered(std::vector<Link> links) {
  std::ranges::sort(links, [](const Link& a, const Link& b) {
    if (a.source != b.source) return a.source < b.source;
    if (a.target != b.target) return a.target < b.target;
    return a.sure && !b.sure;
  });
  const auto same = [](const Link& a, const Link& b) {
    return a.source == b.source && a.target == b.target;
  };
  links.erase(std::unique(links.begin(), links.end(), same), links.end());
  return links;
}

Alignment parse_pharaoh(std::string_view line, const PharaohOptions& options) {
  std::vector<Link> links;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    links.push_back(parse_link(line.substr(begin, end - begin), options));
    at = end;
  }
  return ordered(std::move(links));
}

std::string to_pharaoh(const Alignment& alignment) {
  std::string line;
  for (const Link& link : alignment) {
    if (!line.empty()) line += ' ';
    line += fmt::format("{}{}{}", link.source, link.sure ? '-' : 'p', link.target);
  }
  return line;
}

}  // namespace heed::text
