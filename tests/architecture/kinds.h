// SPDX-License-Identifier: Apache-2.0
// The guards of things that list themselves: a kind of model, a route of the server and a built-in
// corpus are files of their own, and no other source names them.
#pragma once

#include <fmt/format.h>

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
      // What another program's file of alignments is about.
      {"src/heed/insight/trace/trace_lines.cpp", {"translate"}}};
  return words;
}

// Sources of the library and the program that name a kind in quotes or include a header of it,
// other than its own and tests; and exceptions that are none any more.
inline Findings kinds_named_elsewhere(const SourceTree& tree,
                                      const std::map<std::string, std::set<std::string>>& said) {
  Findings findings;
  for (const SourceFile& file : tree) {
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

}  // namespace heed::test
