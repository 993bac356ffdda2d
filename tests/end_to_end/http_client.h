// SPDX-License-Identifier: Apache-2.0
// A small HTTP client over a bare socket, which can also misbehave: stop in the middle, send
// nonsense, or go away.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "heed/base/text.h"

namespace heed::test {

struct HttpAnswer {
  int status = 0;  // 0: the connection ended, or nothing came in time
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

class HttpClient {
 public:
  explicit HttpClient(int port, double seconds = 30) : seconds_(seconds) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~HttpClient() { close(); }
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  bool connected() const { return connected_; }
  int socket() const { return socket_; }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  // Ends the connection at once, with a reset.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
  }

  // Whether all of it was taken.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // The next answer. Without a wait for a body that HEAD leaves out.
  HttpAnswer receive(bool head_only = false) {
    HttpAnswer answer;
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == buffer_.npos) {
      if (!fill()) return answer;
    }
    const std::string head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    answer.status = std::atoi(head.c_str() + std::string_view("HTTP/1.1 ").size());
    for (const std::string_view line : split(head, '\n')) {
      const std::size_t colon = line.find(':');
      if (colon == line.npos) continue;
      answer.headers[lower(line.substr(0, colon))] = trim(line.substr(colon + 1));
    }
    if (head_only) return answer;
    if (answer.headers["transfer-encoding"] == "chunked") {
      while (next_chunk(answer.body)) {
      }
      return answer;
    }
    const auto length =
        static_cast<std::size_t>(std::atoll(answer.headers["content-length"].c_str()));
    while (buffer_.size() < length) {
      if (!fill()) return {};
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return answer;
  }

  // Whether the server has closed the connection, within the time.
  bool ended() {
    while (fill()) {
    }
    return at_end_;
  }

  HttpAnswer post(const std::string& path, const std::string& body,
                  const std::string& more_headers = "") {
    send("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         more_headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return receive();
  }
  HttpAnswer get(const std::string& path, const std::string& more_headers = "") {
    send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more_headers + "\r\n");
    return receive();
  }

 private:
  bool fill() {
    pollfd entry{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, static_cast<int>(seconds_ * 1000)) <= 0) return false;
    char block[16384];
    const ssize_t count = ::recv(socket_, block, sizeof block, 0);
    at_end_ = count <= 0;
    if (count > 0) buffer_.append(block, static_cast<std::size_t>(count));
    return count > 0;
  }
  bool next_chunk(std::string& body) {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == buffer_.npos) {
      if (!fill()) return false;
    }
    const std::size_t size = std::strtoul(buffer_.c_str(), nullptr, 16);
    while (buffer_.size() < end + 2 + size + 2) {
      if (!fill()) return false;
    }
    body += buffer_.substr(end + 2, size);
    buffer_.erase(0, end + 2 + size + 2);
    return size > 0;
  }

  int socket_ = -1;
  double seconds_;
  bool connected_ = false;
  bool at_end_ = false;
  std::string buffer_{};
};

}  // namespace heed::test
