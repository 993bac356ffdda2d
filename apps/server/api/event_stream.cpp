// SPDX-License-Identifier: Apache-2.0
// The thread of the connection waits for events and looks now and then whether its client is there.
#include "server/api/event_stream.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "heed/base/error.h"

namespace heed::server {

using nlohmann::ordered_json;

std::string event_text(const std::string& name, const ordered_json& data) {
  return fmt::format("{}data: {}\n\n", name.empty() ? "" : fmt::format("event: {}\n", name),
                     data.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

HttpResponse event_stream(const std::shared_ptr<EventJob>& job, const RouteCall& call,
                          StreamEnd end) {
  call.api.engine().submit(job);
  HttpResponse response{.type = "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.drop = [job] { job->cancel(); };
  response.next_piece = [job, end = std::move(end), place = call.place,
                         hung_up = call.request.hung_up,
                         over = false]() mutable -> std::optional<std::string> {
    while (!over) {
      if (auto event = job->take_event(Clock::now() + Api::kGlance)) return event;
      if (job->ended()) {
        // What was told between the look for an event and the look for the end comes first.
        if (auto event = job->take_event(Clock::now())) return event;
        over = true;
        try {
          job->check();
          return end.well();
        } catch (const HttpError& error) {
          return end.failed(error);
        } catch (const UsageError& error) {
          return end.failed(HttpError({.status = 400}, error.what()));
        } catch (const std::exception& error) {
          return end.failed(HttpError({.status = 422}, error.what()));
        }
      }
      if (hung_up()) {
        job->cancel();
        over = true;
      }
    }
    return std::nullopt;
  };
  return response;
}

}  // namespace heed::server
