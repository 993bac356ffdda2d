// SPDX-License-Identifier: Apache-2.0
// One object, in three routes.
#include "server/api/model_listing.h"

#include "server/api/schemas.h"

namespace heed::server {

nlohmann::ordered_json model_json(const ServedModel& model) {
  nlohmann::ordered_json examples = nlohmann::ordered_json::array();
  for (const std::string& example : model.examples) {
    const std::size_t tab = example.find('\t');
    // What a model of pairs left behind is of no use to one of texts, and the other way round.
    if ((tab != example.npos) != model.model->takes_second()) continue;
    examples.push_back({{"text", example.substr(0, tab)}});
    if (tab != example.npos) examples.back()["second"] = example.substr(tab + 1);
  }
  return {{"id", model.name},
          {"object", "model"},
          {"created", static_cast<std::int64_t>(model.loaded_at)},
          {"owned_by", "heed"},
          {"task", model.task()},
          {"parameters", model.parameters},
          {"second", model.model->takes_second()},
          {"examples", std::move(examples)}};
}

nlohmann::json model_schema() {
  return object_of(
      {{"id", text_schema()},
       {"object", text_schema()},
       {"created", whole_schema()},
       {"owned_by", text_schema()},
       {"task", text_schema()},
       {"parameters", whole_schema()},
       {"second", flag_schema()},
       {"examples", list_of(object_of({{"text", text_schema()}, {"second?", text_schema()}}))}});
}

}  // namespace heed::server
