// SPDX-License-Identifier: Apache-2.0
// The server as a whole: models, engine, API and HTTP together, until a signal ends it.
#pragma once

#include <functional>
#include <string>

#include "server/serve_options.h"

namespace heed::server {

// Serves until SIGTERM or SIGINT, then finishes what it has begun and returns; SIGHUP loads the
// model folders again, all or none. These signals must be blocked on no thread but by this. `ready`
// hears the address once requests are answered. UsageError and DataError as of the options, the
// folders and the address.
void serve(const ServeOptions& options, const std::function<void(const std::string& url)>& ready);

}  // namespace heed::server
