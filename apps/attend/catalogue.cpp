// SPDX-License-Identifier: Apache-2.0
// Rows from the parts' own cards and options.
#include "attend/catalogue.h"

#include <utility>
#include <variant>

#include "heed/attention/mechanism.h"
#include "heed/attention/whole.h"

namespace heed::attend {
namespace {

using nlohmann::json;

json json_of(const OptionValue& value) {
  return std::visit([](const auto& held) { return json(held); }, value);
}

template <typename Interface>
void add_rows(const std::string& kind, std::vector<PartRow>& rows) {
  for (const auto& entry : attention::Catalogue<Interface>::entries()) {
    PartRow row{kind, entry.card, {}};
    const auto part = entry.make();
    Options options;
    part->declare(options);
    for (const Option& option : options.all()) {
      row.options.push_back({option.name(), json_of(option.value()), option.default_text(),
                             option.wants(), option.help()});
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<PartRow> catalogue() {
  std::vector<PartRow> rows;
  add_rows<attention::Score>("score", rows);
  add_rows<attention::Bias>("bias", rows);
  add_rows<attention::NamedPattern>("pattern", rows);
  add_rows<attention::Normaliser>("normaliser", rows);
  add_rows<attention::WholeAttention>("whole mechanism", rows);
  return rows;
}

json to_json(const PartRow& row) {
  json options = json::array();
  for (const OptionRow& option : row.options) {
    options.push_back({{"name", option.name},
                       {"default", option.value},
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
  for (const PartRow& row : catalogue()) rows.push_back(to_json(row));
  return rows;
}

}  // namespace heed::attend
