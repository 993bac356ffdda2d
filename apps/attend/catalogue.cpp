// SPDX-License-Identifier: Apache-2.0
// JSON of the rows of parts.
#include "attend/catalogue.h"

#include <variant>

namespace heed::attend {

using attention::OptionRow;
using attention::PartRow;
using nlohmann::json;

json to_json(const PartRow& row) {
  json options = json::array();
  for (const OptionRow& option : row.options) {
    options.push_back(
        {{"name", option.name},
         {"default", std::visit([](const auto& held) { return json(held); }, option.value)},
         {"wants", option.wants},
         {"help", option.help}});
  }
  json promises = json::array();
  for (const attention::Promise promise : row.card.promises) {
    promises.push_back(attention::promise_text(promise));
  }
  return {{"kind", row.kind},          {"name", row.card.name},
          {"options", options},        {"formula", row.card.formula},
          {"source", row.card.source}, {"promises", promises}};
}

json catalogue_json() {
  json rows = json::array();
  for (const PartRow& row : attention::part_rows()) rows.push_back(to_json(row));
  return rows;
}

}  // namespace heed::attend
