// SPDX-License-Identifier: Apache-2.0
// The names in a written mechanism, held against the parts there are.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/written/spec.h"

namespace heed::attention {

struct KnownNames {
  std::vector<std::string> scores;
  std::vector<std::string> biases;
  std::vector<std::string> patterns;
  std::vector<std::string> normalisers;
  std::vector<std::string> addressing = {};
  std::vector<std::string> wholes = {};  // are alone, with a pattern at most
  std::map<std::string, std::string, std::less<>> renamed = {};  // former names of these
};

// The names of a catalogue, for KnownNames.
template <typename Interface>
std::vector<std::string> listed_names() {
  std::vector<std::string> names;
  for (const auto& entry : Catalogue<Interface>::entries()) names.push_back(entry.card.name);
  return names;
}

// Their former names, and what these are called now.
template <typename Interface>
std::map<std::string, std::string, std::less<>> renamed_parts() {
  std::map<std::string, std::string, std::less<>> renamed;
  for (const auto& entry : Catalogue<Interface>::entries()) {
    if (!entry.card.formerly.empty()) renamed.emplace(entry.card.formerly, entry.card.name);
  }
  return renamed;
}

// Throws UsageError with a caret at the first name that is not known in its place, saying the
// nearest that is or where the name belongs, and at a mechanism without a score.
void check_names(const Spec& spec, const KnownNames& known);
// The same for a pattern, whose places point into `text`.
void check_names(const PatternSpec& pattern, std::string_view text, const KnownNames& known);
// The same for a part that is alone, of the kind "score", "bias", "normaliser" or
// "addressing part".
void check_name(const PartSpec& part, std::string_view kind, std::string_view text,
                const KnownNames& known);

}  // namespace heed::attention
