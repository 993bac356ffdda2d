// SPDX-License-Identifier: Apache-2.0
// HttpServer: listens, reads requests from connections, and sends what its owner answers. The only
// user of cpp-httplib, which parses heads and bodies and writes answers; connections, deadlines and
// the end are its own.
#pragma once

#include <httplib.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "server/http/closer.h"
#include "server/http/connection.h"
#include "server/http/http.h"
#include "server/http/http_error.h"

namespace heed::server {

struct HttpServerSetting {
  std::string host = "127.0.0.1";
  int port = 0;
  std::size_t connections = 256;
  std::size_t body_bytes = 1 << 20;
  ConnectionLimits limits{};
};

// What a server asks of its owner, from many threads at once.
struct HttpOwner {
  // Before the body is read: an answer that refuses the request, or nothing.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> refuse{};
  std::function<HttpResponse(const HttpRequest&)> answer{};
  // What is said of a request that cannot be read, in the words of the path it asks for. Path and
  // method are empty where they could not be read either.
  std::function<HttpResponse(const HttpRequest&, const HttpError&)> error{};
  // After each answer.
  std::function<void(const HttpRequest&, const Finished&)> finished{};
};

class HttpServer final : private httplib::Server {
 public:
  // Binds. DataError when the address cannot be had.
  HttpServer(const HttpServerSetting& setting, HttpOwner owner);
  ~HttpServer() override = default;

  int port() const { return port_; }
  std::size_t open_connections() const { return open_; }

  // Serves until stop(): then no connection is taken any more, requests that have begun are
  // finished, and it returns.
  void run();
  void stop();

 private:
  bool process_and_close_socket(int socket) override;
  void serve(Connection& connection);
  void handle_head(const httplib::Request& request, httplib::Response& response, bool& handled);
  void handle_body(const httplib::Request& request, httplib::Response& response,
                   const httplib::ContentReader& reader);
  void send(const HttpRequest& request, HttpResponse answer, httplib::Response& response);
  // Of the connection, without anything that was read.
  static HttpRequest unread(const Connection& connection);
  // An answer to what cannot be parsed.
  void send_plain(Connection& connection, const HttpRequest& request, const HttpError& error);

  HttpServerSetting setting_;
  HttpOwner owner_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> open_ = 0;
  Closer closer_{};
};

}  // namespace heed::server
