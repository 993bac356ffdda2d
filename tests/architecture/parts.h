// SPDX-License-Identifier: Apache-2.0
// The guard of the catalogue's promise: a normaliser is its source, its test and a row of the docs.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "guards.h"
#include "source_tree.h"

namespace heed::test {

inline constexpr std::string_view kNormalisers = "src/heed/attention/normalisers/";

// The names of the normalisers that have a file; one with a header beside it is what they share.
inline std::set<std::string> normalisers_of(const SourceTree& tree) {
  std::set<std::string> names;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with(kNormalisers) || !file.path.ends_with(".cpp")) continue;
    const std::string stem = std::filesystem::path(file.path).stem().string();
    const bool shared = find(tree, fmt::format("{}{}.h", kNormalisers, stem)) != nullptr;
    if (!stem.ends_with("_test") && !shared) names.insert(stem);
  }
  return names;
}

// Where a source says a word that is also a normaliser's name, and means something else: a default,
// the composition that fused kernels equal, the plain function of a tensor, an activation.
inline const std::map<std::string, std::set<std::string>>& said_elsewhere() {
  static const std::map<std::string, std::set<std::string>> words = {
      {"src/heed/attention/written/spec.h", {"softmax"}},
      {"src/heed/attention/compose/weigh.cpp", {"softmax"}},
      {"src/heed/attention/normalise.cpp", {"entmax"}},
      {"src/heed/attention/scores/additive_scores.cpp", {"sigmoid"}},
      {"src/heed/pipeline/translate/translation_search.cpp", {"sample"}},
      {"src/heed/pipeline/transformer_options.cpp", {"sigmoid"}}};
  return words;
}

// A source of attention/ or a later layer that names a normaliser in quotes, other than its own and
// tests; a file of the build that names one's source; and a normaliser without its row in the docs.
inline Findings normalisers_named_elsewhere(
    const SourceTree& tree, const std::map<std::string, std::set<std::string>>& elsewhere) {
  Findings findings;
  const auto holds = [](const SourceFile& file, const std::string& text) {
    return file.text.find(text) != std::string::npos;
  };
  const auto is_allowed = [&](const std::string& path, const std::string& name) {
    const auto found = elsewhere.find(path);
    return found != elsewhere.end() && found->second.contains(name);
  };
  const SourceFile* page = find(tree, "docs/mechanisms.md");
  for (const std::string& name : normalisers_of(tree)) {
    if (page == nullptr || !holds(*page, fmt::format("\n| `{}` | ", name))) {
      findings.push_back(fmt::format("docs/mechanisms.md: no row for {}", name));
    }
    for (const SourceFile& file : tree) {
      const std::string_view layer = file.path.starts_with("src/") ? layer_of(file.path) : "";
      const bool source = is_cpp(file) && !layer.empty() && may_include(layer, "attention") &&
                          !file.path.ends_with("_test.cpp") &&
                          !name_of(file).ends_with("testing.h") &&
                          file.path != fmt::format("{}{}.cpp", kNormalisers, name);
      const bool build = file.path.ends_with(".cmake") || name_of(file) == "CMakeLists.txt";
      const bool named = (source && holds(file, fmt::format("\"{}\"", name))) ||
                         (build && holds(file, fmt::format("{}{}.cpp", kNormalisers, name)));
      if (named != is_allowed(file.path, name)) {
        findings.push_back(fmt::format("{}: {} {}", file.path,
                                       named ? "names the normaliser" : "no longer names", name));
      }
    }
  }
  return findings;
}

}  // namespace heed::test
