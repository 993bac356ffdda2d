// SPDX-License-Identifier: Apache-2.0
// GET /v1/models/{name}: one of the models that are served.
#include "heed/base/text.h"
#include "server/api/api.h"
#include "server/api/model_listing.h"

namespace heed::server {
namespace {

HttpResponse model(RouteCall& call) {
  std::vector<std::string> names;
  const std::shared_ptr<const ModelSet> models = call.api.engine().models();
  for (const ModelPointer& one : *models) {
    if (one->name == call.name) return {.body = dumped(model_json(*one))};
    names.push_back(one->name);
  }
  throw HttpError({.status = 404, .where = call.request.path}, "there is no model \"{}\"{}",
                  shorten(call.name, 60), did_you_mean(call.name, names));
}

Route model_route(const Limits&) {
  return {.path = "/v1/models/{name}",
          .name = "model",
          .summary = "Describe one of the models that are served",
          .answer = model_schema(),
          .call = model};
}

const ListedRoute kListed(model_route);

}  // namespace
}  // namespace heed::server
