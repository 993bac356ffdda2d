// SPDX-License-Identifier: Apache-2.0
// Tokens, host names and counts of clients.
#include "server/http/access.h"

#include <algorithm>
#include <utility>

#include "heed/base/text.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

constexpr std::string_view kScheme = "bearer ";

// "localhost:8080" -> "localhost", "[::1]:8080" -> "::1"
std::string name_in(const std::string& host) {
  if (host.starts_with('[')) return lower(host.substr(1, host.find(']') - 1));
  return lower(host.substr(0, host.find(':')));
}

}  // namespace

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  // volatile, lest a compiler leave the loop at the first difference.
  volatile unsigned char differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const char mine = a.empty() ? '\0' : a[i % a.size()];
    differs = static_cast<unsigned char>(differs | (mine ^ b[i]));
  }
  return differs == 0;
}

void Access::check_token(const HttpRequest& request) const {
  if (options_.token.empty()) return;
  const std::string sent = request.header("authorization");
  const bool bearer = lower(sent.substr(0, kScheme.size())) == kScheme;
  if (bearer &&
      equal_in_constant_time(options_.token, std::string_view(sent).substr(kScheme.size()))) {
    return;
  }
  throw HttpError({.status = 401, .where = "Authorization"},
                  sent.empty() ? "a token is needed: send `Authorization: Bearer TOKEN`"
                               : "the token is wrong; send `Authorization: Bearer TOKEN`");
}

void Access::check_host(const HttpRequest& request) const {
  if (options_.hosts.empty()) return;
  const std::string name = name_in(request.header("host"));
  if (std::ranges::count(options_.hosts, name) > 0) return;
  throw HttpError({.status = 403, .where = "Host"},
                  "this server does not answer to \"{}\"; start it with --allow-host to let it",
                  name);
}

Access::Place::Place(Access& access, std::string client)
    : access_(access), client_(std::move(client)) {
  const std::lock_guard lock(access_.mutex_);
  std::int64_t& count = access_.clients_[client_];
  const std::int64_t most = access_.options_.requests_per_client;
  if (most > 0 && count >= most) {
    throw HttpError({.status = 429, .where = "client", .retry_seconds = 1},
                    "{} requests of this client are at work already; wait for one of them", most);
  }
  ++count;
}

Access::Place::~Place() {
  const std::lock_guard lock(access_.mutex_);
  if (--access_.clients_[client_] == 0) access_.clients_.erase(client_);
}

}  // namespace heed::server
