// SPDX-License-Identifier: Apache-2.0
// GET /v1/models: what is served.
#include "server/api/api.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

using nlohmann::ordered_json;

nlohmann::json models_schema() {
  return object_of({{"models", list_of(object_of({{"name", text_schema()},
                                                  {"task", text_schema()},
                                                  {"parameters", whole_schema()},
                                                  {"second", flag_schema()}}))}});
}

HttpResponse models(RouteCall& call) {
  ordered_json models = ordered_json::array();
  for (const ModelPointer& model : *call.api.engine().models()) {
    models.push_back({{"name", model->name},
                      {"task", model->task()},
                      {"parameters", model->parameters},
                      {"second", model->model->takes_second()}});
  }
  return {.body = dumped({{"models", std::move(models)}})};
}

Route make(const Limits&) {
  return {.path = "/v1/models",
          .name = "models",
          .summary = "List the models that are served",
          .answer = models_schema(),
          .call = models};
}

const ListedRoute kListed(make);

}  // namespace
}  // namespace heed::server
