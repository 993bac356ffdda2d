// SPDX-License-Identifier: Apache-2.0
// GET /v1/models: what is served, in the form that OpenAI's clients read.
#include "server/api/api.h"
#include "server/api/model_listing.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

using nlohmann::ordered_json;

HttpResponse models(RouteCall& call) {
  const std::shared_ptr<const ModelSet> models = call.api.engine().models();
  ordered_json list = ordered_json::array();
  for (const ModelPointer& model : *models) list.push_back(model_json(*model));
  return {.body = dumped({{"object", "list"}, {"data", std::move(list)}})};
}

Route models_route(const Limits&) {
  return {.path = "/v1/models",
          .name = "models",
          .summary = "List the models that are served",
          .answer = object_of({{"object", text_schema()}, {"data", list_of(model_schema())}}),
          .call = models};
}

const ListedRoute kListed(models_route);

}  // namespace
}  // namespace heed::server
