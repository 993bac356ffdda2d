// SPDX-License-Identifier: Apache-2.0
// The guards of things that list themselves: a kind of model, an encoder-decoder, a route of the
// server and a built-in corpus are files of their own, and no other source names them. And those of
// names that have one home: positional encodings and enumerators.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "guards.h"
#include "source_tree.h"

namespace heed::test {

// A kind is a folder of pipeline/ in which a file lists it.
inline std::set<std::string> kinds_of(const SourceTree& tree) {
  constexpr std::string_view kPipeline = "src/heed/pipeline/";
  std::set<std::string> kinds;
  for (const SourceFile& file : tree) {
    if (file.path.starts_with(kPipeline) && file.path.ends_with("_kind.cpp") &&
        file.text.find("const ListedKind ") != std::string::npos) {
      kinds.insert(std::filesystem::path(file.path).parent_path().filename().string());
    }
  }
  return kinds;
}

// Where a kind is at home: what it is, its verbs, its benchmarks, its routes, its half of the live
// page.
inline bool is_of_kind(const SourceFile& file, const std::string& kind) {
  for (const char* home :
       {"src/heed/pipeline/", "apps/cli/", "apps/cli/bench/", "apps/server/routes/"}) {
    if (file.path.starts_with(fmt::format("{}{}/", home, kind))) return true;
  }
  return file.path == fmt::format("web/live/kind_{}.js", kind);
}

// The live page knows each kind by a module of its own.
inline bool is_of_live_page(const SourceFile& file) {
  return file.path.starts_with("web/live/");
}

inline bool is_for_tests(const SourceFile& file) {
  return file.path.ends_with("_test.cpp") || file.path.ends_with("_fuzz.cpp") ||
         name_of(file).ends_with("testing.h");
}

// The text without `//` comments, which may give examples.
inline std::string without_comments(const std::string& text) {
  std::string code;
  for (const std::string_view line : split(text, '\n')) {
    code += line.substr(0, line.find("//"));
    code += '\n';
  }
  return code;
}

// Where a source says a word that is also a kind's name, and means something else.
inline const std::map<std::string, std::set<std::string>>& kinds_said_elsewhere() {
  static const std::map<std::string, std::set<std::string>> words = {
      // Weights that the pattern hides.
      {"src/heed/insight/draw/picture_frame.cpp", {"masked"}},
      // Keys and values that are attended to.
      {"src/heed/attention/compose/key_value_cache.cpp", {"memory"}},
      {"src/heed/attention/mechanism.cpp", {"memory"}},
      {"src/heed/attention/whole_mechanism.cpp", {"memory"}},
      {"src/heed/models/recurrent_decoder.h", {"memory"}},
      // A word of stories, and where OpenAPI says that a route may be found.
      {"src/heed/corpora/phrases/lexicon_verbs.cpp", {"look"}},
      {"apps/server/api/openapi.cpp", {"look"}},
      // The layer that points go through first; a look over them before the look that points, and
      // the op of a patch.
      {"src/heed/models/point_model.h", {"glimpse"}},
      {"src/heed/models/point_transformer.cpp", {"embed", "glimpse"}},
      {"src/heed/models/pointer_network.cpp", {"embed", "glimpse"}},
      {"src/heed/models/pointer_network.h", {"glimpse"}},
      {"src/heed/pipeline/pointer/pointer_options.cpp", {"glimpse"}},
      {"src/heed/autograd/glimpse.cpp", {"glimpse"}},
      // What another program's file of alignments is about.
      {"src/heed/insight/trace/trace_lines.cpp", {"translate"}}};
  return words;
}

// Includes all public headers, those of kinds and models too.
constexpr std::string_view kEveryHeader = "src/heed/heed.h";

// Sources of the library and the program that name a kind in quotes or include a header of it,
// other than its own and tests; and exceptions that are none any more.
inline Findings kinds_named_elsewhere(const SourceTree& tree,
                                      const std::map<std::string, std::set<std::string>>& said) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (file.path == kEveryHeader) continue;
    const bool source = file.path.starts_with("src/") || file.path.starts_with("apps/");
    if (!is_of_live_page(file) && (!source || !is_cpp(file) || is_for_tests(file))) continue;
    const std::string code = without_comments(file.text);
    for (const std::string& kind : kinds_of(tree)) {
      if (is_of_kind(file, kind)) continue;
      const auto found = said.find(file.path);
      const bool allowed = found != said.end() && found->second.contains(kind);
      const char quote = is_of_live_page(file) && file.path.ends_with(".js") ? '\'' : '"';
      const bool quoted = code.find(fmt::format("{}{}{}", quote, kind, quote)) != std::string::npos;
      const bool included = code.find(fmt::format("heed/pipeline/{}/", kind)) != std::string::npos;
      if (included) findings.push_back(fmt::format("{}: includes a header of {}", file.path, kind));
      if (quoted != allowed) {
        findings.push_back(fmt::format("{}: {} {}", file.path,
                                       quoted ? "names the kind" : "no longer says", kind));
      }
    }
  }
  return findings;
}

// Sources of the server outside server/routes that write a path of the API in quotes, and routes in
// more than one file.
inline Findings routes_named_elsewhere(const SourceTree& tree) {
  constexpr std::string_view kRoutes = "apps/server/routes/";
  Findings findings;
  std::set<std::string> paths;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with(kRoutes) || !is_cpp(file) || is_for_tests(file)) continue;
    const std::string mark = ".path = \"";
    const std::size_t at = file.text.find(mark);
    const bool once = at != std::string::npos && file.text.find(mark, at + 1) == std::string::npos;
    if (!once || !file.path.ends_with(".cpp") ||
        file.text.find("const ListedRoute ") == std::string::npos) {
      findings.push_back(fmt::format("{}: a file here is one route that lists itself", file.path));
      continue;
    }
    const std::size_t begin = at + mark.size();
    paths.insert(file.text.substr(begin, file.text.find('"', begin) - begin));
  }
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("apps/server/") || file.path.starts_with(kRoutes) || !is_cpp(file) ||
        is_for_tests(file)) {
      continue;
    }
    const std::string code = without_comments(file.text);
    for (const std::string& path : paths) {
      if (code.find(fmt::format("\"{}\"", path)) != std::string::npos) {
        findings.push_back(fmt::format("{}: names the route {}", file.path, path));
      }
    }
  }
  return findings;
}

// Names of the built-in corpora, by the file that lists them.
inline std::map<std::string, std::string> corpora_of(const SourceTree& tree) {
  std::map<std::string, std::string> files;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("src/heed/corpora/") || is_for_tests(file)) continue;
    const std::string code = without_comments(file.text);
    if (code.find("const ListedCorpus ") == std::string::npos) continue;
    for (const std::string mark : {".name = \"", "_card(\""}) {
      for (std::size_t at = code.find(mark); at != std::string::npos;
           at = code.find(mark, at + 1)) {
        const std::size_t begin = at + mark.size();
        files.emplace(code.substr(begin, code.find('"', begin) - begin), file.path);
      }
    }
  }
  return files;
}

// Sources of the corpora that name one in quotes and are not the file that lists it.
inline Findings corpora_named_elsewhere(const SourceTree& tree) {
  Findings findings;
  const std::map<std::string, std::string> corpora = corpora_of(tree);
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("src/heed/corpora/") || !is_cpp(file) || is_for_tests(file))
      continue;
    const std::string code = without_comments(file.text);
    for (const auto& [name, home] : corpora) {
      if (file.path != home && code.find(fmt::format("\"{}\"", name)) != std::string::npos) {
        findings.push_back(fmt::format("{}: names the corpus {}", file.path, name));
      }
    }
  }
  return findings;
}

// Names of the encoder-decoders, by the file that lists them.
inline std::map<std::string, std::string> encoder_decoders_of(const SourceTree& tree) {
  std::map<std::string, std::string> files;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("src/heed/pipeline/") || !is_cpp(file) || is_for_tests(file)) {
      continue;
    }
    const std::string code = without_comments(file.text);
    const std::string mark = "const ListedEncoderDecoder kListed({.name = \"";
    if (const std::size_t at = code.find(mark); at != std::string::npos) {
      const std::size_t begin = at + mark.size();
      files.emplace(code.substr(begin, code.find('"', begin) - begin), file.path);
    }
  }
  return files;
}

// Where a source says a word that is also an encoder-decoder's name: the default, the presets and
// the demo, which choose one; or means something else: an encoder of texts, a benchmark.
inline const std::map<std::string, std::set<std::string>>& encoder_decoders_said_elsewhere() {
  static const std::map<std::string, std::set<std::string>> words = {
      {"src/heed/models/text_encoder.cpp", {"transformer"}},
      {"src/heed/pipeline/classify/classify_options_presets.cpp", {"transformer"}},
      {"src/heed/pipeline/translate/model_options.h", {"transformer"}},
      {"src/heed/pipeline/translate/translation_options_presets.cpp", {"seq2seq", "transformer"}},
      {"apps/cli/translate/demo.cpp", {"seq2seq"}},
      {"apps/cli/bench/seq2seq.cpp", {"seq2seq"}},
      {"apps/cli/bench/transformer.cpp", {"transformer"}}};
  return words;
}

// Sources that name an encoder-decoder in quotes, or include the header of its model, and are
// neither the file that lists it, nor the model itself (models/NAME*), nor tests or benchmarks; and
// exceptions that are none any more. An encoder-decoder is then its model's header, source and
// test, the file that lists it and, where it has options of its own, their place in
// model_options.h: five files.
inline Findings encoder_decoders_named_elsewhere(
    const SourceTree& tree, const std::map<std::string, std::set<std::string>>& said) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (file.path == kEveryHeader) continue;
    const bool source = file.path.starts_with("src/") || file.path.starts_with("apps/");
    if (!source || !is_cpp(file) || is_for_tests(file)) continue;
    const std::string code = without_comments(file.text);
    for (const auto& [name, home] : encoder_decoders_of(tree)) {
      const std::string model = fmt::format("heed/models/{}", name);
      if (file.path == home || file.path.starts_with(fmt::format("src/{}", model))) continue;
      const auto found = said.find(file.path);
      const bool allowed = found != said.end() && found->second.contains(name);
      const bool quoted = code.find(fmt::format("\"{}\"", name)) != std::string::npos;
      const bool included = code.find(fmt::format("\"{}.h\"", model)) != std::string::npos;
      if (included && !file.path.starts_with("apps/cli/bench/")) {
        findings.push_back(fmt::format("{}: includes the model {}", file.path, name));
      }
      if (quoted != allowed) {
        findings.push_back(fmt::format(
            "{}: {} {}", file.path, quoted ? "names the encoder-decoder" : "no longer says", name));
      }
    }
  }
  return findings;
}

// Where positional encodings may be named: their options, the stack that reads them, and defaults.
inline const std::set<std::string>& homes_of_positions() {
  static const std::set<std::string> homes = {
      "src/heed/models/transformer_stack_options.h",
      "src/heed/models/transformer_stack_options.cpp", "src/heed/models/transformer_stack.cpp",
      "src/heed/models/gpt.h", "apps/cli/bench/language/language.cpp"};
  return homes;
}

// Sources that name a positional encoding elsewhere: a new one is an enumerator with its card, and
// what the stack does with it.
inline Findings positions_named_elsewhere(const SourceTree& tree,
                                          const std::set<std::string>& homes) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const bool source = file.path.starts_with("src/") || file.path.starts_with("apps/");
    if (!source || !is_cpp(file) || is_for_tests(file) || homes.contains(file.path)) continue;
    const std::string code = without_comments(file.text);
    for (std::size_t at = code.find("Positions::"); at != std::string::npos;
         at = code.find("Positions::", at + 1)) {
      const bool whole = at == 0 || std::isalnum(static_cast<unsigned char>(code[at - 1])) == 0;
      if (whole) findings.push_back(fmt::format("{}: names a positional encoding", file.path));
    }
  }
  return findings;
}

inline std::size_t enums_of(const SourceFile& file) {
  const std::string code = without_comments(file.text);
  std::size_t count = 0;
  for (std::size_t at = code.find("enum class "); at != std::string::npos;
       at = code.find("enum class ", at + 1)) {
    ++count;
  }
  return count;
}

// Files whose options write the names of more enums, `add("norm", norm, {"pre", "post"}, ...)`,
// than they and their header declare. Names are in a function beside their enum, for every option.
inline Findings names_far_from_their_enum(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const bool source = file.path.starts_with("src/") || file.path.starts_with("apps/");
    if (!source || !is_cpp(file) || is_for_tests(file)) continue;
    const std::string code = without_comments(file.text);
    std::size_t lists = 0;
    for (std::size_t at = code.find("add(\""); at != std::string::npos;
         at = code.find("add(\"", at + 1)) {
      // The name, the variable, then the names of its enumerators or the help.
      const std::size_t first = code.find(',', at);
      const std::size_t second = first == std::string::npos ? first : code.find(',', first + 1);
      if (second == std::string::npos) break;
      const std::size_t next = code.find_first_not_of(" \n", second + 1);
      if (next != std::string::npos && code.substr(next, 2) == "{\"") ++lists;
    }
    std::size_t enums = enums_of(file);
    if (file.path.ends_with(".cpp")) {
      const SourceFile* header =
          find(tree, fmt::format("{}.h", file.path.substr(0, file.path.size() - 4)));
      if (header != nullptr) enums += enums_of(*header);
    }
    if (lists > enums) {
      findings.push_back(fmt::format(
          "{}: writes the names of {} enums and declares {}; names are beside their enum",
          file.path, lists, enums));
    }
  }
  return findings;
}

}  // namespace heed::test
