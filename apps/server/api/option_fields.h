// SPDX-License-Identifier: Apache-2.0
// Options as fields of a request: one declaration is a flag, a config key and a JSON field, with
// one range, default and help.
#pragma once

#include <string>
#include <vector>

#include "heed/base/options.h"
#include "server/api/fields.h"

namespace heed::server {

// The field of an option: "n-best" becomes "n_best". InternalError for an option that there is not.
Field field_of(const Options& options, const std::string& name);

// Sets the options that the body has fields for.
void set_from(const nlohmann::json& body, Options& options);

}  // namespace heed::server
