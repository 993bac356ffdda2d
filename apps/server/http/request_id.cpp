// SPDX-License-Identifier: Apache-2.0
// One draw of random numbers at the start, then a count: no two are alike, and none is guessed.
#include "server/http/request_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <random>

namespace heed::server {

bool is_request_id(std::string_view id) {
  return !id.empty() && id.size() <= kLongestRequestId && std::ranges::all_of(id, [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("-._~:/+=@").find(letter) != std::string_view::npos;
  });
}

std::string new_request_id() {
  static const std::string process = [] {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
  }();
  static std::atomic<std::uint32_t> count = 0;
  return fmt::format("{}{:08x}", process, ++count);
}

}  // namespace heed::server
