// SPDX-License-Identifier: Apache-2.0
// The loop of one connection, and the bridge between httplib's requests and ours.
#include "server/http/http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "server/http/connection_pool.h"
#include "server/http/http_error.h"
#include "server/http/request_id.h"

namespace heed::server {
namespace {

constexpr int kBacklog = 1024;

// The connection whose request this thread is handling: httplib hands neither sockets nor data of
// one's own to handlers.
thread_local Connection* current = nullptr;
thread_local Clock::time_point began{};
// Of the request at hand: the name it gets unless its client gave it one, what its first line says,
// and whether it was counted.
thread_local std::string made_id;
thread_local RequestLine first_line;
thread_local bool counted = false;

double seconds_since(Clock::time_point time) {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

HttpRequest request_of(const httplib::Request& request) {
  HttpRequest made{.method = request.method, .path = request.path, .client = request.remote_addr};
  for (const auto& [name, value] : request.headers) made.headers.emplace(lower(name), value);
  const std::string sent = made.header("x-request-id");
  made.id = is_request_id(sent) ? sent : made_id;
  made.hung_up = [connection = current] { return connection->hung_up(); };
  return made;
}

// Of the statuses that are sent without httplib.
const char* reason_of(int status) {
  switch (status) {
    case 408:
      return "Request Timeout";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Bad Request";
  }
}

// What every answer carries: nothing is to be guessed, framed, kept or passed on.
httplib::Headers safe_headers() {
  return {{"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"},
          {"Cache-Control", "no-store"}};
}

}  // namespace

HttpServer::HttpServer(const HttpServerSetting& setting, HttpOwner owner)
    : setting_(setting), owner_(std::move(owner)) {
  set_socket_options([this](int socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    listener_ = socket;
  });
  new_task_queue = [this] { return new ConnectionPool(setting_.connections); };
  set_default_headers(safe_headers());
  // What httplib tells clients of keeping a connection.
  set_keep_alive_timeout(static_cast<time_t>(setting_.limits.idle_seconds));
  set_keep_alive_max_count(std::numeric_limits<int>::max());
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    bool handled = true;
    handle_head(request, response, handled);
    return handled ? HandlerResponse::Handled : HandlerResponse::Unhandled;
  });
  // Only what handle_head() lets pass comes here, so the pattern meets short, known paths.
  Post(".*",
       [this](const httplib::Request& request, httplib::Response& response,
              const httplib::ContentReader& reader) { handle_body(request, response, reader); });
  set_expect_100_continue_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        const HttpRequest head = request_of(request);
        std::optional<HttpResponse> refusal = owner_.refuse(head);
        if (!refusal) return 100;
        current->spoil();
        send(head, std::move(*refusal), response);
        return response.status;
      });
  // httplib's own refusals of heads.
  set_error_handler([this](const httplib::Request&, httplib::Response& response) {
    if (!response.body.empty() || counted) return;
    current->spoil();
    const HttpRequest request = unread(*current);
    send(request,
         owner_.error(request, HttpError({.status = response.status, .where = "request"},
                                         "the request cannot be read as HTTP")),
         response);
  });
  const bool bound = setting_.port == 0 ? (port_ = bind_to_any_port(setting_.host)) > 0
                                        : bind_to_port(setting_.host, port_ = setting_.port);
  if (!bound) {
    throw DataError("{}:{}: cannot listen there: {}; choose another --host or --port",
                    setting_.host, setting_.port, std::strerror(errno));
  }
  // httplib asks for a backlog of 5, which a burst of clients overruns.
  if (::listen(listener_, kBacklog) != 0) {
    throw DataError("{}:{}: cannot listen there: {}", setting_.host, port_, std::strerror(errno));
  }
}

void HttpServer::run() {
  listen_after_bind();
}

void HttpServer::stop() {
  if (stopping_.exchange(true)) return;
  // httplib's own stop() would cut off answers that are sent piece by piece. A socket shut down
  // makes its accept() fail, whereupon it waits for the pool.
  ::shutdown(listener_, SHUT_RDWR);
}

bool HttpServer::process_and_close_socket(int socket) {
  Connection connection(socket, setting_.limits);
  if (ConnectionPool::refusing()) {
    made_id = new_request_id();
    first_line = {};
    HttpRequest request = unread(connection);
    // Here nothing may wait, so it is answered unread; what it asked for is counted when it comes.
    send_plain(connection, request,
               HttpError({.status = 503, .where = "request", .retry_seconds = 1},
                         "{} connections are open already; try again later", setting_.connections));
    closer_.add(socket, [this, request](std::string_view line) mutable {
      RequestLine said = request_line(line);
      request.method = std::move(said.method);
      request.path = std::move(said.path);
      owner_.finished(request, {.status = 503});
    });
    return true;
  }
  ++open_;
  current = &connection;
  serve(connection);
  current = nullptr;
  --open_;
  closer_.add(socket);
  return true;
}

HttpRequest HttpServer::unread(const Connection& connection) {
  HttpRequest request{.method = first_line.method, .path = first_line.path, .id = made_id};
  int port = 0;
  connection.get_remote_ip_and_port(request.client, port);
  return request;
}

void HttpServer::serve(Connection& connection) {
  for (;;) {
    const Connection::Head head = connection.await_head(stopping_);
    began = Clock::now();
    if (head == Connection::Head::closed) return;
    made_id = new_request_id();
    first_line = request_line(connection.received());
    counted = false;
    const auto refuse = [&](int status, const std::string& message) {
      const HttpRequest request = unread(connection);
      send_plain(connection, request, HttpError({.status = status, .where = "request"}, message));
      owner_.finished(request, {.status = status, .seconds = seconds_since(began)});
    };
    if (head == Connection::Head::slow) {
      return refuse(408, fmt::format("the request did not arrive within {:g} s",
                                     setting_.limits.receive_seconds));
    }
    if (head == Connection::Head::large) {
      return refuse(
          431, fmt::format("the head of a request may have {} bytes", setting_.limits.head_bytes));
    }
    if (const std::string wrong = wrong_head(connection.head()); !wrong.empty()) {
      return refuse(400, wrong);
    }
    bool closed = false;
    const bool last = stopping_;
    // Answers are given whole; httplib would cut errors, too.
    const auto whole = [](httplib::Request& request) { request.ranges.clear(); };
    if (!process_request(connection, last, closed, whole)) return;
    if (last || closed || connection.spoilt()) return;
  }
}

void HttpServer::handle_head(const httplib::Request& request, httplib::Response& response,
                             bool& handled) {
  HttpRequest head = request_of(request);
  const bool reads = has_no_body(request.method);
  // The body of what is refused, or of a request that should have none, is left unread.
  const bool body =
      head.headers.contains("content-length") || head.headers.contains("transfer-encoding");
  std::optional<HttpResponse> refusal = owner_.refuse(head);
  if (refusal || reads) {
    if (body || !reads) current->spoil();
    send(head, refusal ? std::move(*refusal) : owner_.answer(head), response);
    return;
  }
  handled = false;
}

void HttpServer::handle_body(const httplib::Request& request, httplib::Response& response,
                             const httplib::ContentReader& reader) {
  HttpRequest whole = request_of(request);
  bool large = false;
  const bool read = reader([&](const char* bytes, std::size_t size) {
    large = whole.body.size() + size > setting_.body_bytes;
    if (!large) whole.body.append(bytes, size);
    return !large;
  });
  if (read) {
    began = Clock::now();
    return send(whole, owner_.answer(whole), response);
  }
  current->spoil();
  const int status = large ? 413 : current->late() ? 408 : 400;
  const std::string message =
      large ? fmt::format("the body has more than {} bytes", setting_.body_bytes)
      : current->late()
          ? fmt::format("the request did not arrive within {:g} s", setting_.limits.receive_seconds)
          : "the body ends before its length";
  send(whole, owner_.error(whole, HttpError({.status = status, .where = "body"}, message)),
       response);
}

void HttpServer::send(const HttpRequest& request, HttpResponse answer,
                      httplib::Response& response) {
  counted = true;
  if (answer.status == kClientLeft) current->spoil();
  response.status = answer.status;
  response.set_header("X-Request-Id", request.id);
  for (const auto& [name, value] : answer.headers) {
    response.headers.erase(name);
    response.set_header(name, value);
  }
  if (current->spoilt()) response.set_header("Connection", "close");
  if (!answer.next_piece) {
    owner_.finished(request, {.status = answer.status,
                              .seconds = seconds_since(began),
                              .bytes = answer.body.size(),
                              .model = answer.model});
    response.set_content(answer.body, answer.type);
    return;
  }
  const auto sent = std::make_shared<std::size_t>(0);
  response.set_chunked_content_provider(
      answer.type,
      [next = std::move(answer.next_piece), sent](std::size_t, httplib::DataSink& sink) mutable {
        const std::optional<std::string> piece = next();
        if (!piece) {
          sink.done();
          return true;
        }
        *sent += piece->size();
        return sink.write(piece->data(), piece->size());
      },
      [this, request, drop = std::move(answer.drop), sent, start = began,
       model = std::move(answer.model)](bool well) {
        if (!well && drop) drop();
        owner_.finished(request, {.status = well ? 200 : kClientLeft,
                                  .seconds = seconds_since(start),
                                  .bytes = *sent,
                                  .model = model});
      });
}

void HttpServer::send_plain(Connection& connection, const HttpRequest& request,
                            const HttpError& error) {
  const HttpResponse answer = owner_.error(request, error);
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\nX-Request-Id: {}\r\n",
                                 answer.status, reason_of(answer.status), request.id);
  const auto add = [&](const auto& headers) {
    for (const auto& [name, value] : headers) head += fmt::format("{}: {}\r\n", name, value);
  };
  add(answer.headers);
  add(safe_headers());
  head += fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n\r\n{}", answer.type,
                      answer.body.size(), answer.body);
  connection.write(head.data(), head.size());
}

}  // namespace heed::server
