// SPDX-License-Identifier: Apache-2.0
// Names of requests: what a client sent as X-Request-Id, or one of our own. Answers, errors and the
// log carry it, so that one request can be followed through a proxy, this server and its log.
#pragma once

#include <string>
#include <string_view>

namespace heed::server {

inline constexpr std::size_t kLongestRequestId = 128;

// Whether it can stand in a header and on a line of a log as it is: 1 to 128 letters, digits and
// -._~:/+=@ only.
bool is_request_id(std::string_view id);

// A new one, 24 hexadecimal digits: 16 of this process, which are random, and a count.
std::string new_request_id();

}  // namespace heed::server
