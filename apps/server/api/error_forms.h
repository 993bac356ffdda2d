// SPDX-License-Identifier: Apache-2.0
// The forms that errors have as JSON: Heed's own, and that of routes which other programs' clients
// know.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "server/http/http_error.h"

namespace heed::server {

struct ErrorForm {
  std::string name = {};  // of its schema in /openapi.json
  std::string (*body)(const HttpError& error, const std::string& request_id) = nullptr;
  nlohmann::json schema = nullptr;
};

// {"error": {"kind": ..., "message": ..., "where": ..., "request_id": ...}}
const ErrorForm& heed_errors();
// {"error": {"message": ..., "type": ..., "param": ..., "code": ...}}, as OpenAI's clients read it.
const ErrorForm& openai_errors();

}  // namespace heed::server
