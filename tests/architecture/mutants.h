// SPDX-License-Identifier: Apache-2.0
// The guard of the lists of mutants: they name places of the sources, which change. tools/mutants
// says how they are written.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "guards.h"
#include "source_tree.h"

namespace heed::test {

struct ListedMutant {
  std::string where;               // the list's file and line
  std::vector<std::string> lines;  // a sentence, a file, a place

  std::string place() const {
    std::string all;
    for (std::size_t i = 2; i < lines.size(); ++i) all += lines[i];
    return all;
  }
};

inline std::vector<ListedMutant> mutants_in(const SourceFile& list) {
  std::vector<ListedMutant> mutants;
  std::size_t number = 0;
  bool open = false;
  for (const std::string_view raw : split(list.text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.starts_with('#') || line.starts_with("tests:") || line.starts_with("survives:")) {
      continue;
    }
    if (!line.empty() && !open) {
      mutants.push_back({fmt::format("{}:{}", list.path, number), {}});
    }
    open = !line.empty();
    if (open) mutants.back().lines.emplace_back(line);
  }
  return mutants;
}

inline std::string without_spaces(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) kept += c;
  }
  return kept;
}

inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// A place without «original => fault», and one that does not occur exactly once in its file.
inline Findings misplaced_mutants(const SourceTree& tree) {
  constexpr std::string_view kOpens = "«", kBecomes = "=>", kCloses = "»";
  Findings findings;
  for (const SourceFile& list : tree) {
    if (!list.path.starts_with("tests/mutants/")) continue;
    for (const ListedMutant& mutant : mutants_in(list)) {
      const auto report = [&](std::string_view what) {
        findings.push_back(fmt::format("{}: {}", mutant.where, what));
      };
      const std::string place = without_spaces(mutant.place());
      const std::size_t opens = place.find(kOpens), becomes = place.find(kBecomes),
                        closes = place.find(kCloses);
      if (mutant.lines.size() < 3 || opens > becomes || becomes > closes ||
          closes == std::string::npos) {
        report("it takes a sentence, a file, and a place with «original => fault»");
        continue;
      }
      const SourceFile* file = find(tree, mutant.lines[1]);
      if (file == nullptr) {
        report(fmt::format("there is no file {}", mutant.lines[1]));
        continue;
      }
      const std::size_t original = opens + kOpens.size();
      const std::string wanted = place.substr(0, opens) +
                                 place.substr(original, becomes - original) +
                                 place.substr(closes + kCloses.size());
      const std::size_t count = count_of(without_spaces(file->text), wanted);
      if (count != 1) report(fmt::format("occurs {} times in {}", count, file->path));
    }
  }
  return findings;
}

// Layers of the ladder, and parts of the program, without a list of mutants.
inline Findings layers_without_mutants(const SourceTree& tree) {
  Findings findings;
  std::vector<std::string_view> names = {"server", "attend"};
  for (const Layer& layer : ladder()) names.push_back(layer.name);
  for (const std::string_view name : names) {
    const SourceFile* list = find(tree, fmt::format("tests/mutants/{}.txt", name));
    if (list == nullptr || mutants_in(*list).empty()) {
      findings.push_back(fmt::format("tests/mutants/{}.txt: there is no mutant", name));
    }
  }
  return findings;
}

}  // namespace heed::test
