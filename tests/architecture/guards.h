// SPDX-License-Identifier: Apache-2.0
// The guards of the architecture: each reads sources and lists what breaks its rule, one line each.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text.h"
#include "source_tree.h"

namespace heed::test {

// A rung of the ladder. Without `needs` a layer may include every layer before it.
struct Layer {
  std::string_view name;
  std::vector<std::string_view> needs = {};
};

// All layers of the design, those to come included.
inline const std::vector<Layer>& ladder() {
  static const std::vector<Layer> layers = {{"base"},
                                            {"kernels"},
                                            {"tensor"},
                                            {"autograd"},
                                            {"nn"},
                                            {"attention"},
                                            {"text", {"base"}},
                                            {"images", {"base", "text"}},
                                            {"corpora", {"base", "text", "images"}},
                                            {"metrics", {"base", "text"}},
                                            {"models"},
                                            {"decoding"},
                                            {"training"},
                                            {"insight"},
                                            {"explain"},
                                            {"pipeline"}};
  return layers;
}

inline std::vector<Layer>::const_iterator find_layer(std::string_view name) {
  return std::ranges::find(ladder(), name, &Layer::name);
}

inline bool may_include(std::string_view layer, std::string_view included) {
  if (layer == included) return true;
  const auto from = find_layer(layer);
  const auto to = find_layer(included);
  if (from == ladder().end() || to == ladder().end()) return false;
  if (!from->needs.empty()) return std::ranges::count(from->needs, included) > 0;
  return to < from;
}

struct Include {
  std::size_t line;
  std::string path;  // between the quotes or brackets
};

inline std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> includes;
  std::size_t number = 0;
  for (std::string_view line : split(file.text, '\n')) {
    ++number;
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = trim(line.substr(std::string_view("include").size()));
    const std::size_t end = line.find_first_of(">\"", 1);
    if (end != std::string_view::npos) {
      includes.push_back({number, std::string(line.substr(1, end - 1))});
    }
  }
  return includes;
}

inline bool includes(const SourceFile& file, std::string_view path) {
  const std::vector<Include> all = includes_of(file);
  return std::ranges::count(all, path, &Include::path) > 0;
}

// The layer of src/heed/LAYER/..., or of an include of heed/LAYER/...; empty for any other path.
inline std::string_view layer_of(std::string_view path) {
  if (path.starts_with("src/")) path.remove_prefix(4);
  if (!path.starts_with("heed/")) return {};
  path.remove_prefix(5);
  const std::size_t end = path.find('/');
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

// Includes point to the same or an earlier layer.
inline Findings wrong_includes(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const std::string_view layer = layer_of(file.path);
    if (layer.empty() || !file.path.starts_with("src/") || !is_cpp(file)) continue;
    if (find_layer(layer) == ladder().end()) {
      findings.push_back(fmt::format("{}: the ladder has no layer {}", file.path, layer));
      continue;
    }
    for (const Include& include : includes_of(file)) {
      const std::string_view other = layer_of(include.path);
      if (!other.empty() && !may_include(layer, other)) {
        findings.push_back(fmt::format("{}:{}: {} must not include {}", file.path, include.line,
                                       layer, include.path));
      }
    }
  }
  return findings;
}

// The words of `set(heed_layers ...)` in cmake/layers.cmake.
inline std::vector<std::string> built_layers(std::string_view layers_cmake) {
  constexpr std::string_view kOpening = "set(heed_layers ";
  const std::size_t begin = layers_cmake.find(kOpening);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = layers_cmake.substr(begin + kOpening.size());
  std::vector<std::string> layers;
  for (const std::string_view word : split(rest.substr(0, rest.find(')')), ' ')) {
    if (!trim(word).empty()) layers.emplace_back(trim(word));
  }
  return layers;
}

// The build lists the layers in the order of the ladder.
inline Findings layers_out_of_order(std::span<const std::string> layers) {
  Findings findings;
  auto place = ladder().begin();
  for (const std::string& layer : layers) {
    const auto found =
        std::find_if(place, ladder().end(), [&](const Layer& rung) { return rung.name == layer; });
    if (found == ladder().end()) {
      findings.push_back(fmt::format("heed_layers: {} is unknown or out of order", layer));
    } else {
      place = found + 1;
    }
  }
  return findings;
}

// Highway, oneDNN and intrinsics stay in kernels/, Cairo and Pango in insight/; benchmarks/
// measures against them and may. foreign_headers keeps them out of headers.
inline Findings heavy_includes(const SourceTree& tree) {
  struct Heavy {
    std::string_view part;
    std::string_view home;
  };
  constexpr std::array kHeavy = {
      Heavy{"hwy/", "src/heed/kernels"},    Heavy{"dnnl", "src/heed/kernels"},
      Heavy{"oneapi/", "src/heed/kernels"}, Heavy{"intrin.h", "src/heed/kernels"},
      Heavy{"cairo", "src/heed/insight"},   Heavy{"pango/", "src/heed/insight"}};
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_cpp(file) || file.path.starts_with("benchmarks/")) continue;
    for (const Include& include : includes_of(file)) {
      if (include.path.starts_with("heed/")) continue;
      const auto heavy = std::ranges::find_if(kHeavy, [&](const Heavy& one) {
        return include.path.find(one.part) != std::string::npos;
      });
      if (heavy == kHeavy.end() || folder_of(file).starts_with(heavy->home)) continue;
      findings.push_back(fmt::format("{}:{}: {} is for {} only", file.path, include.line,
                                     include.path, heavy->home));
    }
  }
  return findings;
}

// Headers that are installed need nothing of their user but fmt, and that in one place.
inline Findings foreign_headers(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const std::string name = name_of(file);
    const bool installed = file.path.starts_with("src/") && name.ends_with(".h") &&
                           !name.ends_with("testing.h") && name != "highway.h" &&
                           !name.ends_with("-inl.h") && !name.ends_with("fuzzing.h");
    if (!installed) continue;
    for (const Include& include : includes_of(file)) {
      const bool of_a_library =
          include.path.find('/') != std::string::npos || include.path.starts_with("cairo");
      const bool foreign =
          of_a_library && !include.path.starts_with("heed/") && !include.path.starts_with("sys/");
      if (foreign && file.path != "src/heed/base/error.h") {
        findings.push_back(fmt::format("{}:{}: users would have to have {}", file.path,
                                       include.line, include.path));
      }
    }
  }
  return findings;
}

// The licence first, then (tests may go without) a sentence on what the file is for.
inline Findings wrong_openings(const SourceTree& tree) {
  constexpr std::string_view kLicence = "SPDX-License-Identifier: Apache-2.0";
  Findings findings;
  for (const SourceFile& file : tree) {
    const std::string name = name_of(file);
    const bool script = file.text.starts_with("#!");
    const bool hash = script || name == "CMakeLists.txt" || name == "Makefile" ||
                      file.path.ends_with(".cmake") || file.path.ends_with(".py");
    const bool module = file.path.ends_with(".js") || file.path.ends_with(".mjs");
    if (!is_cpp(file) && !module && !hash) continue;
    const std::string mark = hash ? "# " : "// ";
    const auto lines = split(file.text, '\n');
    const std::size_t first = script ? 1 : 0;
    if (lines.size() <= first || lines[first] != mark + std::string(kLicence)) {
      findings.push_back(fmt::format("{}:{}: is not `{}{}`", file.path, first + 1, mark, kLicence));
      continue;
    }
    if (name.ends_with("_test.cpp") || file.path.ends_with(".py")) continue;
    std::string opening;  // the comment that follows, up to its first full stop
    for (std::size_t i = first + 1; i < lines.size() && lines[i].starts_with(mark); ++i) {
      opening += lines[i].substr(mark.size() - 1);
    }
    if (opening.find(' ', 1) == std::string::npos || opening.find('.') == std::string::npos) {
      findings.push_back(
          fmt::format("{}:{}: no sentence says what this is for", file.path, first + 2));
    }
  }
  return findings;
}

// Headers that a program may include say so where they say `#pragma once`.
inline bool is_public(const SourceFile& header) {
  return header.text.find("#pragma once  // public header\n") != std::string::npos;
}

// Headers are included once, except those that Highway includes once per CPU target.
inline Findings wrong_include_guards(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.path.ends_with(".h")) continue;
    const bool once =
        ("\n" + file.text).find("\n#pragma once\n") != std::string::npos || is_public(file);
    const bool per_target = file.path.ends_with("-inl.h") || includes(file, "hwy/foreach_target.h");
    if (once == per_target) {
      findings.push_back(fmt::format(
          "{}: {}", file.path,
          once ? "#pragma once hides it from the other CPU targets" : "#pragma once is missing"));
    }
  }
  return findings;
}

// Whether a line of a kernel declares an array that a vector of some target may overrun: one that
// is aligned for vectors, or a bare one of numbers, and neither WholeVectors nor a constant.
inline bool declares_narrow_array(std::string_view line) {
  line = trim(line.substr(0, line.find("//")));
  if (line.starts_with("HWY_ALIGN ")) return !line.starts_with("HWY_ALIGN WholeVectors<");
  for (const std::string_view type : {"T ", "float ", "double "}) {
    if (!line.starts_with(type)) continue;
    const std::string_view declared = line.substr(type.size());
    const std::size_t name = declared.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
    return name != 0 && name != std::string_view::npos && declared[name] == '[';
  }
  return false;
}

// Arrays of numbers in kernels/ are WholeVectors (see lanes-inl.h), or std::array where they are
// filled one by one: a float[8] that AVX2 may store to is too short for AVX-512.
inline Findings narrow_arrays(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const bool kernel = file.path.starts_with("src/heed/kernels/") && is_cpp(file) &&
                        !file.path.ends_with("_test.cpp") && !file.path.ends_with("testing.h");
    if (!kernel) continue;
    std::size_t number = 0;
    for (const std::string_view line : split(file.text, '\n')) {
      ++number;
      if (!declares_narrow_array(line)) continue;
      findings.push_back(fmt::format("{}:{}: neither WholeVectors nor std::array: {}", file.path,
                                     number, trim(line)));
    }
  }
  return findings;
}

// The name of the function that a line at the left margin declares, or nothing.
inline std::string_view function_declared(std::string_view line) {
  const auto of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (line.empty() || !of_name(line.front()) || line.starts_with("static_assert")) return {};
  const std::string_view head = line.substr(0, line.find('('));
  if (head.size() == line.size() || head.find_first_of("=/") != std::string_view::npos) return {};
  std::size_t begin = head.size();
  while (begin > 0 && of_name(head[begin - 1])) --begin;
  return begin == 0 ? std::string_view() : head.substr(begin);  // a macro has no type before it
}

// Free functions that are compiled once per CPU target are named as Highway names its own, so that
// a call says which side of the dispatch it is on; members and everything else are snake_case.
inline Findings misnamed_target_functions(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("src/heed/kernels/") || !is_cpp(file)) continue;
    bool per_target = false;
    std::size_t number = 0;
    for (const std::string_view line : split(file.text, '\n')) {
      ++number;
      if (line.starts_with("HWY_BEFORE_NAMESPACE")) per_target = true;
      if (line.starts_with("HWY_AFTER_NAMESPACE")) per_target = false;
      const std::string_view name = function_declared(line);
      if (!per_target || name.empty() || (name.front() >= 'A' && name.front() <= 'Z')) continue;
      findings.push_back(fmt::format("{}:{}: compiled per CPU target, so PascalCase: {}", file.path,
                                     number, name));
    }
  }
  return findings;
}

// Sources whose own header no test includes, because a wider header carries it; and that test.
inline const std::map<std::string, std::string>& tested_elsewhere() {
  static const std::map<std::string, std::string> tests = {
      {"src/heed/base/stored_zip.cpp", "src/heed/base/pytorch_file_test.cpp"},
      {"src/heed/tensor/allocator.cpp", "src/heed/tensor/tensor_test.cpp"},
      {"src/heed/tensor/shape.cpp", "src/heed/tensor/tensor_test.cpp"},
      {"src/heed/autograd/gradient.cpp", "src/heed/autograd/variable_test.cpp"},
      {"src/heed/autograd/node.cpp", "src/heed/autograd/variable_test.cpp"},
      {"src/heed/attention/normaliser_draws.cpp", "tests/laws/draw_laws_test.cpp"},
      {"src/heed/attention/normalisers/row_structure.cpp",
       "src/heed/attention/normalisers/linear_chain_test.cpp"},
      {"src/heed/attention/normalisers/subset_chart.cpp",
       "src/heed/attention/normalisers/exactly_test.cpp"},
      {"src/heed/nn/dropout.cpp", "src/heed/nn/module_test.cpp"},
      {"src/heed/text/foreign/added_tokens.cpp",
       "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/character_map.cpp", "src/heed/text/foreign/golden_test.cpp"},
      {"src/heed/text/foreign/merges.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/piece_join.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/renumbering.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/text_cuts.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/text_steps.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/traced_text.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/unigram.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/text/foreign/wordpiece.cpp", "src/heed/text/foreign/foreign_tokeniser_test.cpp"},
      {"src/heed/pipeline/foreign/bert_stack.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"},
      {"src/heed/pipeline/foreign/foreign_config.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"},
      {"src/heed/pipeline/foreign/foreign_tokens.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"},
      {"src/heed/pipeline/foreign/foreign_weights.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"},
      {"src/heed/pipeline/foreign/gpt_stack.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"},
      {"src/heed/pipeline/foreign/import_plan.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"},
      {"src/heed/pipeline/foreign/translation_stacks.cpp",
       "src/heed/pipeline/foreign/import_model_test.cpp"}};
  return tests;
}

// Whether a test beside the source proves it: NAME_test.cpp, where NAME is its name or a part of it
// that ends before an underscore (reductions_columns.cpp: reductions_test.cpp), or a test that
// includes the header of its name. What defines ops of autograd/ops.h is proven by ops_test.cpp,
// and by gradcheck_test.cpp, which demands a case for every recorded name.
inline bool has_test(const SourceFile& source, const SourceTree& tree) {
  const std::string folder = folder_of(source);
  const auto there_is = [&](const std::string& name) {
    return find(tree, folder + "/" + name) != nullptr;
  };
  const std::string name = name_of(source);
  const std::string stem = name.substr(0, name.size() - std::string_view(".cpp").size());
  for (std::size_t end = stem.size(); end != std::string::npos && end > 0;
       end = stem.rfind('_', end - 1)) {
    if (there_is(stem.substr(0, end) + "_test.cpp")) return true;
  }
  const std::string header = folder.substr(std::string_view("src/").size()) + "/" + stem + ".h";
  for (const SourceFile& file : tree) {
    const bool beside = file.path.ends_with("_test.cpp") && folder_of(file) == folder;
    if (beside && includes(file, header)) return true;
  }
  return folder == "src/heed/autograd" && includes(source, "heed/autograd/ops.h") &&
         !there_is(stem + ".h") && there_is("ops_test.cpp") && there_is("gradcheck_test.cpp");
}

inline Findings untested_sources(const SourceTree& tree,
                                 const std::map<std::string, std::string>& elsewhere) {
  Findings findings;
  for (const auto& [source, test] : elsewhere) {
    if (find(tree, source) == nullptr || find(tree, test) == nullptr) {
      findings.push_back(fmt::format("{}: listed with {}, and one of them is gone", source, test));
    }
  }
  for (const SourceFile& file : tree) {
    const bool source = file.path.starts_with("src/heed/") && file.path.ends_with(".cpp") &&
                        !file.path.ends_with("_test.cpp") && !file.path.ends_with("_fuzz.cpp");
    if (source && !elsewhere.contains(file.path) && !has_test(file, tree)) {
      findings.push_back(fmt::format("{}: no test beside it", file.path));
    }
  }
  return findings;
}

// The project's headers that a file reads, itself left out, each once.
inline std::set<std::string> headers_behind(const SourceTree& tree, const std::string& path) {
  std::set<std::string> headers;
  std::vector<std::string> open = {path};
  while (!open.empty()) {
    const SourceFile* file = find(tree, open.back());
    open.pop_back();
    if (file == nullptr) continue;
    for (const Include& include : includes_of(*file)) {
      const std::string header = "src/" + include.path;
      if (find(tree, header) != nullptr && headers.insert(header).second) open.push_back(header);
    }
  }
  return headers;
}

// Headers that a page or an example shows to users and that are not public. CONTRIBUTING.md is
// about the inside.
inline Findings hidden_headers_shown(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const bool page = file.path.ends_with(".md") && file.path != "CONTRIBUTING.md";
    if (!page && !file.path.starts_with("examples/")) continue;
    for (const Include& include : includes_of(file)) {
      const SourceFile* header = find(tree, "src/" + include.path);
      if (header != nullptr && !is_public(*header)) {
        findings.push_back(
            fmt::format("{}:{}: {} is not a public header", file.path, include.line, include.path));
      }
    }
  }
  return findings;
}

}  // namespace heed::test
