// SPDX-License-Identifier: Apache-2.0
// Reading and writing with poll() and deadlines; sockets never block.
#include "server/http/connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "heed/base/text.h"

namespace heed::server {
namespace {

// How often a resting connection looks whether the server stops.
constexpr auto kGlance = std::chrono::milliseconds(100);
constexpr std::string_view kEnd = "\r\n\r\n";
constexpr std::size_t kLongestRange = 100;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Whether any of the events came by then.
bool await(int socket, short events, Clock::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd entry{.fd = socket, .events = events, .revents = 0};
    const int found = ::poll(&entry, 1, static_cast<int>(std::clamp<long>(left, 0, 60'000)));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return false;
    if (left <= 0) return false;
  }
}

void address_of(const sockaddr_storage& address, std::string& ip, int& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    port = ntohs(four.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    port = ntohs(six.sin6_port);
  }
  ip = text.data();
}

}  // namespace

Connection::Connection(int socket, const ConnectionLimits& limits)
    : socket_(socket), limits_(limits) {
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

ssize_t Connection::fill(Clock::time_point until) {
  std::array<char, 16384> block{};
  for (;;) {
    const ssize_t count = ::recv(socket_, block.data(), block.size(), MSG_DONTWAIT);
    if (count > 0) buffer_.append(block.data(), static_cast<std::size_t>(count));
    if (count >= 0) return count;
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return 0;
    if (!await(socket_, POLLIN, until)) return -1;
  }
}

Connection::Head Connection::await_head(const std::atomic<bool>& stopping) {
  const auto idle_until = after(limits_.idle_seconds);
  while (buffer_.empty()) {
    if (stopping) return Head::closed;
    const ssize_t count = fill(std::min(idle_until, Clock::now() + kGlance));
    if (count == 0 || (count < 0 && Clock::now() >= idle_until)) return Head::closed;
  }
  deadline_ = after(limits_.receive_seconds);
  for (;;) {
    const std::size_t end = buffer_.find(kEnd);
    if (end <= limits_.head_bytes) {
      head_size_ = end + kEnd.size();
      return Head::ready;
    }
    // Less, and the end may yet come in time, however the bytes are cut into packets.
    if (buffer_.size() >= limits_.head_bytes + kEnd.size()) return Head::large;
    const ssize_t count = fill(deadline_);
    if (count == 0) return Head::closed;
    if (count < 0) return Head::slow;
  }
}

std::string_view Connection::head() const {
  return std::string_view(buffer_).substr(0, head_size_);
}

bool Connection::hung_up() const {
  pollfd entry{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&entry, 1, 0) > 0 && (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

ssize_t Connection::read(char* bytes, std::size_t size) {
  if (buffer_.empty()) {
    const ssize_t count = fill(deadline_);
    if (count <= 0) {
      late_ |= count < 0;
      spoilt_ = true;
      return count;
    }
  }
  const std::size_t count = std::min(size, buffer_.size());
  std::memcpy(bytes, buffer_.data(), count);
  buffer_.erase(0, count);
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* bytes, std::size_t size) {
  const auto until = after(limits_.send_seconds);
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t count = ::send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!await(socket_, POLLOUT, until)) return -1;
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return static_cast<ssize_t>(size);
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    address_of(address, ip, port);
  }
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) == 0) {
    address_of(address, ip, port);
  }
}

constexpr std::size_t kLongestMethod = 20;

RequestLine request_line(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\r'));
  const std::size_t first = line.find(' ');
  if (first == line.npos || first == 0) return {};
  const std::size_t second = line.find(' ', first + 1);
  if (second == line.npos || line[first + 1] != '/') return {};
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view method = line.substr(0, first);
  // Both are written to the log: letters only, and no control characters.
  const bool clean = method.size() <= kLongestMethod &&
                     std::ranges::all_of(method, [](char c) { return c >= 'A' && c <= 'Z'; }) &&
                     std::ranges::none_of(target, [](char c) {
                       return static_cast<unsigned char>(c) <= ' ' || c == 0x7F;
                     });
  if (!clean) return {};
  return {.method = std::string(method), .path = std::string(target.substr(0, target.find('?')))};
}

std::string wrong_head(std::string_view head) {
  if (head.find('\0') != head.npos) return "the head holds a zero byte";
  std::size_t lengths = 0;
  std::size_t codings = 0;
  bool first = true;
  for (const std::string_view whole : split(head.substr(0, head.size() - 2), '\n')) {
    if (whole.empty()) continue;
    if (!whole.ends_with('\r')) return "a line of the head does not end with CR LF";
    const std::string_view line = whole.substr(0, whole.size() - 1);
    if (line.find('\r') != line.npos) return "a line of the head holds a CR";
    if (!std::exchange(first, false)) {
      const std::size_t colon = line.find(':');
      if (colon == line.npos || colon == 0 || line.find_first_of(" \t") < colon) {
        return "a line of the head is no NAME: VALUE";
      }
      const std::string name = lower(line.substr(0, colon));
      const std::string_view value = trim(line.substr(colon + 1));
      if (name == "content-length") {
        ++lengths;
        if (value.empty() || value.size() > 18 ||
            value.find_first_not_of("0123456789") != value.npos) {
          return "Content-Length is not a whole number";
        }
      }
      // httplib reads it by a regular expression, whose depth grows with the text.
      if (name == "range" && value.size() > kLongestRange) return "Range is too long";
      if (name == "transfer-encoding") {
        ++codings;
        if (lower(value) != "chunked") return "Transfer-Encoding is not \"chunked\"";
      }
    }
  }
  if (lengths > 1) return "Content-Length is given twice";
  if (codings > 1 || (codings > 0 && lengths > 0)) {
    return "Transfer-Encoding and Content-Length contradict each other";
  }
  return {};
}

}  // namespace heed::server
