// SPDX-License-Identifier: Apache-2.0
// For tests over the catalogue: every part as it comes and with each example of its card, so that a
// new part brings its own settings.
#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/normaliser.h"
#include "heed/base/error.h"

namespace heed::attention {

// {"entmax", "entmax(alpha=1.0)", ...}
inline std::vector<std::string> settings_of(const Card& card) {
  std::vector<std::string> all{card.name};
  for (const std::string& example : card.examples) all.push_back(card.name + "(" + example + ")");
  return all;
}

// The settings of all parts of a kind.
template <typename Interface>
std::vector<std::string> every_setting() {
  std::vector<std::string> all;
  for (const auto& entry : Catalogue<Interface>::entries()) {
    for (std::string& setting : settings_of(entry.card)) all.push_back(std::move(setting));
  }
  return all;
}

// The part of a setting.
template <typename Interface>
std::unique_ptr<Interface> made_part(const std::string& setting) {
  return make_part<Interface>(parse_part(setting), setting);
}

template <typename Interface>
const Card& card_of(const std::string& setting) {
  return Catalogue<Interface>::find(parse_part(setting).name)->card;
}

// The score with the biases, if any, without which a pattern cannot be.
inline std::string with_what_it_reads(const std::string& score, const Pattern& pattern) {
  if (!pattern.reads(Given::centres)) return score;
  for (const auto& entry : Catalogue<Bias>::entries()) {
    if (std::ranges::count(entry.card.gives, Given::centres) > 0) {
      return score + " + " + entry.card.name;
    }
  }
  throw InternalError("no bias gives centres");
}

// Whether it takes any number of queries and keys. Parts that do not are given tables that they
// take by the laws of matrix normalisers.
inline bool takes_any_table(const Normaliser& part) {
  const auto* matrices = dynamic_cast<const MatrixNormaliser*>(&part);
  return matrices == nullptr || matrices->takes() == TableShape::any;
}

// What a setting is called in the name of a test: letters, digits and "_".
inline std::string test_name_of(std::string setting) {
  std::ranges::replace_if(
      setting, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return setting;
}

}  // namespace heed::attention
