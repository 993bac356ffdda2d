// SPDX-License-Identifier: Apache-2.0
// GET /v1/explainers: what /v1/explain can be asked for.
#include "heed/explain/explainer.h"
#include "server/api/api.h"
#include "server/api/schemas.h"

namespace heed::server {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

json explainers_schema() {
  return object_of({{"explainers", list_of(object_of({{"name", text_schema()},
                                                      {"summary", text_schema()},
                                                      {"formula", text_schema()},
                                                      {"source", text_schema()},
                                                      {"promises", list_of(text_schema())}}))}});
}

HttpResponse explainers(RouteCall&) {
  ordered_json all = ordered_json::array();
  for (const explain::ExplainerCard& card : explain::explainers()) {
    ordered_json promises = ordered_json::array();
    for (const explain::Promise one : card.promises) {
      promises.push_back(explain::promise_text(one));
    }
    all.push_back({{"name", card.name},
                   {"summary", card.summary},
                   {"formula", card.formula},
                   {"source", card.source},
                   {"promises", std::move(promises)}});
  }
  return {.body = dumped({{"explainers", std::move(all)}})};
}

Route explainers_route(const Limits&) {
  return {.path = "/v1/explainers",
          .name = "explainers",
          .summary = "List the explainers",
          .answer = explainers_schema(),
          .call = explainers};
}

const ListedRoute kListed(explainers_route);

}  // namespace
}  // namespace heed::server
