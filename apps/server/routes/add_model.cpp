// SPDX-License-Identifier: Apache-2.0
// POST /v1/models: one model more, while the server runs. Only with --admin, and only from folders
// below a --model-root.
#include "server/api/api.h"
#include "server/api/common_fields.h"
#include "server/api/model_listing.h"

namespace heed::server {
namespace {

std::vector<Field> add_fields() {
  return {{.name = "folder",
           .help = "the model folder: below a --model-root, or its whole path",
           .required = true,
           .example = "tales"},
          {.name = "name", .help = "what it is served as; left out: the name of the folder"},
          {.name = "replace",
           .kind = FieldKind::flag,
           .help = "whether it takes the place of a model that has its name",
           .otherwise = false}};
}

HttpResponse add_model(RouteCall& call) {
  const auto folder = call.body["folder"].get<std::string>();
  if (folder.empty()) refuse_field("folder", "\"folder\" is empty; it takes a model folder");
  ModelPlace place{call.body.value("name", ""), folder};
  if (place.name.empty()) {
    const std::filesystem::path plain = std::filesystem::path(folder).lexically_normal();
    place.name = (plain.has_filename() ? plain : plain.parent_path()).filename().string();
  }
  if (!is_model_name(place.name)) {
    refuse_field("name",
                 "a model's name is made of at most 100 letters, digits, '.', '-' and '_'; give it "
                 "one as \"name\"");
  }
  const ModelPointer added = call.api.keeper().add(place, call.body["replace"].get<bool>());
  call.model = added->name;
  return {.body = dumped(model_json(*added))};
}

Route add_model_route(const Limits&) {
  return {.method = "POST",
          .path = "/v1/models",
          .name = "add_model",
          .summary = "Serve one model more",
          .fields = add_fields(),
          .answer = model_schema(),
          .admin = true,
          .call = add_model};
}

const ListedRoute kListed(add_model_route);

}  // namespace
}  // namespace heed::server
