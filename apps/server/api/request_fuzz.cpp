// SPDX-License-Identifier: Apache-2.0
// Fuzz target of requests, from the bytes of a connection to the answer of an API without models.
#include <httplib.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "heed/base/fuzzing.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "server/api/api.h"
#include "server/http/connection.h"

namespace heed::test {
namespace {

using server::HttpRequest;
using server::HttpResponse;

// The bytes of one request; what is answered goes nowhere.
class InputStream final : public httplib::Stream {
 public:
  explicit InputStream(std::string_view bytes) : rest_(bytes) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* bytes, std::size_t size) override {
    const std::size_t count = std::min(size, rest_.size());
    std::memcpy(bytes, rest_.data(), count);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char*, std::size_t size) override { return static_cast<ssize_t>(size); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = 1;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    get_remote_ip_and_port(ip, port);
  }
  int socket() const override { return -1; }

 private:
  std::string_view rest_;
};

// What HttpServer does, without sockets.
class InputServer final : public httplib::Server {
 public:
  InputServer() {
    set_threads(1);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response&) {
      const bool reads = server::has_no_body(request.method);
      const std::optional<HttpResponse> refusal = api_.refuse(request_of(request));
      if (!refusal && !reads) return HandlerResponse::Unhandled;
      take(refusal ? *refusal : api_.answer(request_of(request)));
      return HandlerResponse::Handled;
    });
    Post(".*", [this](const httplib::Request& request, httplib::Response&,
                      const httplib::ContentReader& reader) {
      HttpRequest made = request_of(request);
      reader([&](const char* bytes, std::size_t size) {
        made.body.append(bytes, size);
        return made.body.size() < 65536;
      });
      take(api_.answer(made));
    });
  }
  ~InputServer() override { engine_.stop(); }

  // The status of the answer; 400 for what httplib refuses.
  int status_of(std::string_view bytes) {
    InputStream stream(bytes);
    bool closed = false;
    status_ = 400;
    process_request(stream, true, closed,
                    [](httplib::Request& request) { request.ranges.clear(); });
    return status_;
  }

 private:
  static HttpRequest request_of(const httplib::Request& request) {
    HttpRequest made{.method = request.method, .path = request.path, .client = "127.0.0.1"};
    for (const auto& [name, value] : request.headers) made.headers.emplace(lower(name), value);
    return made;
  }
  void take(const HttpResponse& response) {
    status_ = response.status;
    if (response.type == "application/json") {
      require(nlohmann::json::accept(response.body), "an answer is no JSON");
    }
  }

  int status_ = 400;
  server::Metrics metrics_{};
  server::Engine engine_{{}, {.batch = {.wait_ms = 0}}, metrics_};
  server::Access access_{{.token = "secret", .hosts = {"localhost", "::1"}}};
  server::Log log_{{.form = server::LogForm::none}};
  server::ModelKeeper keeper_{{}, engine_, metrics_, log_};
  server::Api api_{engine_, access_, metrics_, {.secured = true, .keeper = &keeper_}};
};

bool read_request(std::string_view bytes) {
  static InputServer server;
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos || !server::wrong_head(bytes.substr(0, end + 4)).empty()) return false;
  const int status = server.status_of(bytes);
  // Without a model it is not ready.
  require(status < 500 || status == 503, "a request is answered by an error of the server");
  return status == 200;
}

const FuzzTarget kRequest("request", read_request);

}  // namespace
}  // namespace heed::test
