// SPDX-License-Identifier: Apache-2.0
// The guard of the catalogue's promise: a part of any kind is its source, its test and a row of the
// docs.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "guards.h"
#include "source_tree.h"

namespace heed::test {

struct PartKind {
  std::string_view name;
  std::string_view folder;
  // Models may write mechanisms of their own by name, which is how scores and patterns are meant to
  // be used; no source but its own names a normaliser.
  bool everywhere;
};
inline constexpr PartKind kPartKinds[] = {
    {"score", "src/heed/attention/scores/", false},
    {"bias", "src/heed/attention/biases/", false},
    {"pattern", "src/heed/attention/patterns/", false},
    {"normaliser", "src/heed/attention/normalisers/", true},
    {"addressing part", "src/heed/attention/addressing/", false},
    {"whole mechanism", "src/heed/attention/whole/", false}};

// The names of the parts that have a file; one with a header beside it is what they share.
inline std::set<std::string> parts_of(const SourceTree& tree, const PartKind& kind) {
  std::set<std::string> names;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with(kind.folder) || !file.path.ends_with(".cpp")) continue;
    const std::string stem = std::filesystem::path(file.path).stem().string();
    const bool shared = find(tree, fmt::format("{}{}.h", kind.folder, stem)) != nullptr;
    if (!stem.ends_with("_test") && !shared) names.insert(stem);
  }
  return names;
}

// Where a source says a word that is also a part's name: a default, an example, the composition
// that fused kernels equal, the plain function of a tensor; or means something else: an option, an
// activation, data of a call.
inline const std::map<std::string, std::set<std::string>>& said_elsewhere() {
  static const std::map<std::string, std::set<std::string>> words = {
      {"src/heed/attention/written/spec.h", {"full", "softmax"}},
      {"src/heed/attention/written/caret.h", {"causal"}},
      {"src/heed/attention/compose/given.cpp", {"segments"}},
      {"src/heed/attention/hierarchical.h", {"scaled_dot"}},
      {"src/heed/attention/hierarchical.cpp", {"padding"}},
      {"src/heed/attention/multi_head.h", {"scaled_dot"}},
      {"src/heed/attention/biases/relative_buckets.cpp", {"distance"}},
      {"src/heed/attention/patterns/big_bird.cpp", {"globals", "window"}},
      {"src/heed/attention/patterns/dilated.cpp", {"window"}},
      {"src/heed/attention/compose/weigh.cpp", {"softmax"}},
      {"src/heed/attention/normalisers/of_normaliser.h", {"softmax"}},
      {"src/heed/attention/whole/density.cpp", {"softmax", "sparsemax"}},
      {"src/heed/attention/whole/density_source.h", {"additive", "softmax"}},
      {"src/heed/attention/normalise.cpp", {"entmax"}},
      // A scaling of rotary positions.
      {"src/heed/attention/positions.cpp", {"linear"}},
      {"src/heed/attention/normalisers/straight_through.cpp", {"identity"}},
      {"src/heed/attention/scores/additive_scores.cpp", {"sigmoid"}},
      {"src/heed/pipeline/language/language_options.cpp", {"span"}},
      {"src/heed/pipeline/translate/translation_search.cpp", {"sample"}}};
  return words;
}

// A source of attention/, or of a later layer too, that names a part in quotes, other than its own
// and tests; a file of the build that names one's source; a part without its test; and one without
// its row in the docs.
inline Findings parts_named_elsewhere(
    const SourceTree& tree, const std::map<std::string, std::set<std::string>>& elsewhere) {
  Findings findings;
  const auto holds = [](const SourceFile& file, const std::string& text) {
    return file.text.find(text) != std::string::npos;
  };
  const auto is_allowed = [&](const std::string& path, const std::string& name) {
    const auto found = elsewhere.find(path);
    return found != elsewhere.end() && found->second.contains(name);
  };
  std::set<std::pair<std::string, std::string>> named_at;  // path, name
  const SourceFile* page = find(tree, "docs/mechanisms.md");
  for (const PartKind& kind : kPartKinds) {
    for (const std::string& name : parts_of(tree, kind)) {
      if (page == nullptr || !holds(*page, fmt::format("\n| `{}` | ", name))) {
        findings.push_back(fmt::format("docs/mechanisms.md: no row for {}", name));
      }
      if (find(tree, fmt::format("{}{}_test.cpp", kind.folder, name)) == nullptr) {
        findings.push_back(fmt::format("{}{}.cpp: no test beside it", kind.folder, name));
      }
      for (const SourceFile& file : tree) {
        const std::string_view layer = file.path.starts_with("src/") ? layer_of(file.path) : "";
        const bool in_reach = layer == "attention" || (kind.everywhere && !layer.empty() &&
                                                       may_include(layer, "attention"));
        const bool source = is_cpp(file) && in_reach && !file.path.ends_with("_test.cpp") &&
                            !name_of(file).ends_with("testing.h") &&
                            name_of(file) != fmt::format("{}.cpp", name);
        const bool build = file.path.ends_with(".cmake") || name_of(file) == "CMakeLists.txt";
        const bool named = (source && holds(file, fmt::format("\"{}\"", name))) ||
                           (build && holds(file, fmt::format("{}{}.cpp", kind.folder, name)));
        if (named) named_at.insert({file.path, name});
        if (named && !is_allowed(file.path, name)) {
          findings.push_back(fmt::format("{}: names the {} {}", file.path, kind.name, name));
        }
      }
    }
  }
  for (const auto& [path, names] : elsewhere) {
    for (const std::string& name : names) {
      if (!named_at.contains({path, name})) {
        findings.push_back(fmt::format("{}: no longer names {}", path, name));
      }
    }
  }
  return findings;
}

}  // namespace heed::test
