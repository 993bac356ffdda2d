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

// What a public header declares is exported, from its first namespace to its end, for no test calls
// all of it from outside. Of internal headers the linker tells what the program or another library
// misses: that is marked HEED_EXPORTED.
inline Findings hidden_headers(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file) || !is_public(file)) continue;
    const std::size_t push =
        file.text.find("\n#pragma GCC visibility push(default)  // exported\n");
    const std::size_t space = file.text.find("\nnamespace ");
    if (space != std::string::npos &&
        (push > space || !file.text.ends_with("\n#pragma GCC visibility pop\n"))) {
      findings.push_back(file.path +
                         ": a public header; before its namespace stands #pragma GCC visibility "
                         "push(default)  // exported, at its end #pragma GCC visibility pop");
    }
  }
  return findings;
}

}  // namespace heed::test
