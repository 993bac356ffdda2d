// SPDX-License-Identifier: Apache-2.0
// The guards of the public headers: those that include all others, the page that lists them, and
// what the libraries export.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "guards.h"

namespace heed::test {

// The layers that heed::core is made of.
inline bool is_core(std::string_view layer) {
  return find_layer(layer) <= find_layer("attention");
}

// "heed/LAYER/..." of the public headers, sorted; of core layers or of the others.
inline std::vector<std::string> public_headers(const SourceTree& tree, bool core) {
  std::vector<std::string> headers;
  for (const SourceFile& file : tree) {
    const std::string_view layer = layer_of(file.path);
    if (!layer.empty() && is_public(file) && is_core(layer) == core) {
      headers.push_back(file.path.substr(std::string_view("src/").size()));
    }
  }
  return headers;
}

// heed/core.h and heed/heed.h include all public headers, and nothing else.
inline Findings wrong_umbrellas(const SourceTree& tree) {
  Findings findings;
  for (const bool core : {true, false}) {
    const std::string path = core ? "src/heed/core.h" : "src/heed/heed.h";
    const SourceFile* umbrella = find(tree, path);
    if (umbrella == nullptr) {
      findings.push_back(path + ": there is none");
      continue;
    }
    std::set<std::string> missing{core ? "heed/version.h" : "heed/core.h"};
    for (std::string& header : public_headers(tree, core)) missing.insert(std::move(header));
    for (const Include& include : includes_of(*umbrella)) {
      if (missing.erase(include.path) == 0) {
        findings.push_back(
            fmt::format("{}:{}: {} is not for it", path, include.line, include.path));
      }
    }
    for (const std::string& header : missing) {
      findings.push_back(fmt::format("{}: does not include {}", path, header));
    }
  }
  return findings;
}

// docs/library.md has a row for each layer with its public headers: "| `heed/nn/` | `linear.h` |".
inline Findings unlisted_headers(const SourceTree& tree) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const bool core : {true, false}) {
    for (const std::string& header : public_headers(tree, core)) {
      const std::size_t end = header.find('/', std::string_view("heed/").size()) + 1;
      rows[header.substr(0, end)].push_back(fmt::format("`{}`", header.substr(end)));
    }
  }
  const SourceFile* page = find(tree, "docs/library.md");
  Findings findings;
  for (const auto& [folder, names] : rows) {
    const std::string row = fmt::format("\n| `{}` | {} |\n", folder, fmt::join(names, ", "));
    if (page == nullptr || page->text.find(row) == std::string::npos) {
      findings.push_back("docs/library.md: does not have the row " + std::string(trim(row)));
    }
  }
  return findings;
}

// Headers whose functions one library or the program calls in another: those that are installed,
// and those that files of apps/, or for core layers files of other layers, include. Kernels are
// templates, which are marked one by one.
inline std::set<std::string> crossing_headers(const SourceTree& tree) {
  std::set<std::string> crossing;
  const auto add = [&](const std::string& path) {
    const SourceFile* file = find(tree, path);
    const std::string_view layer = layer_of(path);
    if (file == nullptr || layer.empty() || layer == "kernels") return;
    if (path.ends_with("testing.h") || path.ends_with("fuzzing.h")) return;
    crossing.insert(path);
  };
  for (const SourceFile& file : tree) {
    if (!is_cpp(file) || file.path.ends_with("_test.cpp") || file.path.ends_with("_fuzz.cpp") ||
        file.path.ends_with("testing.h")) {
      continue;
    }
    if (is_public(file)) {
      add(file.path);
      for (const std::string& header : headers_behind(tree, file.path)) add(header);
    }
    const bool upper = file.path.starts_with("src/heed/") && !layer_of(file.path).empty() &&
                       !is_core(layer_of(file.path));
    if (!upper && !file.path.starts_with("apps/")) continue;
    for (const Include& include : includes_of(file)) {
      if (!upper || is_core(layer_of(include.path))) add("src/" + include.path);
    }
  }
  return crossing;
}

// What they declare is exported, from the first namespace to the end.
inline Findings hidden_headers(const SourceTree& tree) {
  Findings findings;
  for (const std::string& path : crossing_headers(tree)) {
    const std::string& text = find(tree, path)->text;
    const std::size_t push = text.find("\n#pragma GCC visibility push(default)  // exported\n");
    const std::size_t space = text.find("\nnamespace ");
    if (space != std::string::npos &&
        (push > space || !text.ends_with("\n#pragma GCC visibility pop\n"))) {
      findings.push_back(
          path +
          ": other libraries or programs include it; before its namespace stands #pragma GCC "
          "visibility push(default)  // exported, at its end #pragma GCC visibility pop");
    }
  }
  return findings;
}

}  // namespace heed::test
