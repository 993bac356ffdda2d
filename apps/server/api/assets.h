// SPDX-License-Identifier: Apache-2.0
// The live page and what it is drawn with: files that are part of the program. No other file can
// be asked for.
#pragma once

#include <string>
#include <string_view>

#include "server/http/http.h"

namespace heed::server {

struct Asset {
  std::string_view path;  // "/live/live.js"
  std::string_view type;
  std::string_view text;
};

// nullptr when there is none at this path.
const Asset* find_asset(std::string_view path);

// The file; the page itself ("/") with a nonce of its own, which the policy in its headers names.
// HttpError 404 when there is none.
HttpResponse asset_response(std::string_view path);

}  // namespace heed::server
