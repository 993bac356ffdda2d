// SPDX-License-Identifier: Apache-2.0
// Mechanisms that pages quote: what looks like one, and the whole that a piece of one makes.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "documents.h"
#include "run_program.h"

namespace heed::test {

// The kinds of part that have a name: {"tensor", {"bias", "pattern"}}.
using PartKinds = std::map<std::string, std::set<std::string>>;

inline PartKinds part_kinds() {
  PartKinds kinds;
  for (const auto& part : nlohmann::json::parse(run_heed({"mechanisms", "--json"}).out)) {
    kinds[part["name"]].insert(part["kind"].get<std::string>());
  }
  return kinds;
}

struct QuotedMechanism {
  std::string text = {};  // as written; with one space where there are several
  std::size_t line = 0;   // of the page
};

// The first name in it: of `4x(scaled_dot | causal)` scaled_dot.
inline std::string first_name(const std::string& text) {
  const std::vector<std::string> names = found_in(text, "^(?:[0-9]+x\\()?\\(*([a-z][a-z0-9_]*)");
  return names.empty() ? "" : names.front();
}

// Whether it is written as a mechanism or a piece of one is: parts joined by operators, or one part
// with options. A bare name is not, nor is what begins with none of the parts and has no " | ".
inline bool looks_like_mechanism(const std::string& text, const PartKinds& kinds) {
  static const std::regex written("[a-z0-9_ ()=.,+&|;-]+");
  static const std::regex options("\\((?:[a-z-]+ ?= ?)?[a-z0-9.-]+[,)]");
  static const std::regex scheme(
      "scores? \\+ bias(es)? \\| pattern \\| normaliser( \\| addressing)?");
  if (!std::regex_match(text, written) || std::regex_match(text, scheme)) return false;
  const std::string first = first_name(text);
  if (first.empty() || first == "heed") return false;
  if (text.find(" | ") != std::string::npos) return true;
  const bool joins = text.find(" & ") != std::string::npos || text.find(" + ") != std::string::npos;
  return kinds.contains(first) && (joins || std::regex_search(text, options));
}

// What a page quotes: as the value of an option of attention, between " or `, or on an indented
// line alone. Blocks of code and of console
// are run as they are, so only text, sh and toml are read.
inline std::vector<QuotedMechanism> quoted_mechanisms(std::string_view page,
                                                      const PartKinds& kinds) {
  std::vector<QuotedMechanism> quoted;
  std::string fence;  // its kind, while inside
  std::size_t number = 0;
  const auto take = [&](std::string text, bool is_one = false) {
    text = std::regex_replace(text, std::regex("\\\\\\|"), "|");  // as a table writes it
    text = std::string(trim(std::regex_replace(text, std::regex(" +"), " ")));
    if (is_one || looks_like_mechanism(text, kinds)) quoted.push_back({text, number});
  };
  for (const std::string_view line : split(page, '\n')) {
    ++number;
    if (line.starts_with("```")) {
      fence = fence.empty() ? std::string(line) : "";
      continue;
    }
    if (!fence.empty() && fence != "```sh" && fence != "```toml") continue;
    const std::string text(line);
    for (const std::string& one : found_in(text, "attention(?: = | |=)\"([^\"]+)\"")) {
      take(one, one != "none");  // whatever it looks like; "none" is no attention at all
    }
    for (const std::string& one : found_in(text, "\"([^\"]+)\"")) take(one);
    for (const std::string& one : found_in(text, "`([^`\"]+)`")) take(one);
    if (text.starts_with("    ")) take(text);
  }
  return quoted;
}

// The mechanisms that a piece may be a piece of: `window(64)` of `dot | window(64)`.
inline std::vector<std::string> wholes_of(const std::string& text, const PartKinds& kinds) {
  static const std::map<std::string, std::string> before = {
      {"score", ""},
      {"bias", "dot + "},
      {"pattern", "dot | "},
      {"normaliser", "dot | full | "},
      {"addressing part", "dot | full | softmax | "}};
  std::vector<std::string> wholes;
  const auto found = kinds.find(first_name(text));
  if (found == kinds.end()) return {text};
  for (const std::string& kind : found->second) {
    const auto opening = before.find(kind);
    wholes.push_back(opening == before.end() ? text : opening->second + text);
  }
  return wholes;
}

// The heads it names: 6 of `4x(dot); 2x(additive)`, and 1 where it names none.
inline std::size_t heads_of(const std::string& text) {
  std::size_t heads = 0;
  for (const std::string& count : found_in(text, "(?:^|; )([0-9]+)x\\(")) {
    heads += std::stoul(count);
  }
  return heads == 0 ? 1 : heads;
}

}  // namespace heed::test
