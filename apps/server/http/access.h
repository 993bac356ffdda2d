// SPDX-License-Identifier: Apache-2.0
// Access: who may ask, by token, by the name the server was called by, and how many at once.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http.h"

namespace heed::server {

// Whether two texts are equal, in a time that depends on their lengths only: how much of a guess
// was right cannot be measured.
bool equal_in_constant_time(std::string_view a, std::string_view b);

struct AccessOptions {
  std::string token = {};                // empty: none is asked for
  std::vector<std::string> hosts = {};   // what `Host` may say, without port; empty: anything
  std::int64_t requests_per_client = 0;  // at once; 0: any
};

class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  // HttpError 401 without the right `Authorization: Bearer TOKEN`.
  void check_token(const HttpRequest& request) const;
  // HttpError 403 when the server was called by a name that is not its own: a page of another site
  // whose name was made to point here could otherwise ask in its visitor's place.
  void check_host(const HttpRequest& request) const;

  // A place for one request of a client, until the end of its scope.
  class Place {
   public:
    Place(Access& access, std::string client);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    Access& access_;
    std::string client_;
  };
  // HttpError 429 when it has as many as it may.
  Place enter(const std::string& client) { return Place(*this, client); }

 private:
  AccessOptions options_;
  std::mutex mutex_{};
  std::map<std::string, std::int64_t> clients_{};
};

}  // namespace heed::server
