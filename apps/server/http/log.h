// SPDX-License-Identifier: Apache-2.0
// The log: one line for each request and event on standard error, without what clients wrote unless
// that is asked for.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "server/http/http.h"
#include "server/serve_options.h"

namespace heed::server {

class Log {
 public:
  struct Setting {
    LogForm form = LogForm::plain;
    bool text = false;
  };
  explicit Log(const Setting& setting) : setting_(setting) {}

  void request(const HttpRequest& request, const std::string& route, const Finished& outcome);
  // "reloaded 2 models"
  void event(std::string_view said);

  // The line without its end, as it is written.
  std::string line(const HttpRequest& request, const std::string& route, const Finished& outcome,
                   const std::string& time) const;

 private:
  void write(const std::string& line);

  Setting setting_;
  std::mutex mutex_{};
};

}  // namespace heed::server
