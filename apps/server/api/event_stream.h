// SPDX-License-Identifier: Apache-2.0
// Answers as server-sent events, while their job is at work.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/api/api.h"
#include "server/engine/event_job.h"

namespace heed::server {

// "event: NAME\ndata: JSON\n\n"; without the first line for an empty name.
std::string event_text(const std::string& name, const nlohmann::ordered_json& data);

// What comes after the last event of a job.
struct StreamEnd {
  std::function<std::string()> well{};
  std::function<std::string(const HttpError& error)> failed{};
};

// The events of the job, which is given to the engine here, and its end. A client that hangs up
// cancels it.
HttpResponse event_stream(const std::shared_ptr<EventJob>& job, const RouteCall& call,
                          StreamEnd end);

}  // namespace heed::server
