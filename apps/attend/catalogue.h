// SPDX-License-Identifier: Apache-2.0
// The catalogue of parts as rows and as JSON: what a mechanism can be written with.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "heed/attention/written/catalogue.h"

namespace heed::attend {

struct OptionRow {
  std::string name;
  nlohmann::json value;  // the default
  std::string default_text;
  std::string wants;
  std::string help;
};

struct PartRow {
  std::string kind;  // "score", "bias", "pattern", "normaliser"
  attention::Card card;
  std::vector<OptionRow> options;
};

// All parts, kind by kind.
std::vector<PartRow> catalogue();

nlohmann::json to_json(const PartRow& row);
nlohmann::json catalogue_json();

}  // namespace heed::attend
