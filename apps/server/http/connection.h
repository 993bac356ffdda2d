// SPDX-License-Identifier: Apache-2.0
// Connection: one client's socket, read with total deadlines (a client that trickles bytes is
// dropped), and asked whether its other end is still there.
#pragma once

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "server/engine/job.h"

namespace heed::server {

struct ConnectionLimits {
  double receive_seconds = 10;  // from a request's first byte to its last
  double idle_seconds = 30;     // until its first byte
  double send_seconds = 30;     // for each write
  std::size_t head_bytes = 16384;
};

class Connection final : public httplib::Stream {
 public:
  // Does not own the socket.
  Connection(int socket, const ConnectionLimits& limits);

  enum class Head {
    ready,   // the next request's head is here, whole
    closed,  // the client has gone, said nothing for too long, or the server stops
    slow,    // it began a request and did not end its head in time
    large,   // its head is longer than allowed
  };
  // Waits for the next request. `stopping` ends the wait for one that has not begun.
  Head await_head(const std::atomic<bool>& stopping);
  // From the request line to the empty line; valid until the next read.
  std::string_view head() const;
  // All that came and was not read yet, of a head that is not whole as well.
  std::string_view received() const { return buffer_; }

  // Whether the client has closed its side. What it sent before can still be read.
  bool hung_up() const;
  // What remains of a request was not read, so that the next cannot be told from it.
  void spoil() { spoilt_ = true; }
  bool spoilt() const { return spoilt_; }
  // Whether the client took too long, so that a read failed.
  bool late() const { return late_; }

  // httplib's side. Reads give what is there, waiting until the request's deadline; writes send
  // all, or give -1.
  bool is_readable() const override { return true; }
  bool is_writable() const override { return !hung_up(); }
  ssize_t read(char* bytes, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  int socket() const override { return socket_; }

 private:
  // Adds what has come to the buffer: the number of bytes, 0 at the end, -1 for none by then.
  ssize_t fill(Clock::time_point until);

  int socket_;
  ConnectionLimits limits_;
  std::string buffer_{};  // received, not yet read
  std::size_t head_size_ = 0;
  Clock::time_point deadline_{};  // of the current request
  bool spoilt_ = false;
  bool late_ = false;
};

// What a request asks for, as far as its first line says so: "GET /v1/models?x HTTP/1.1" -> GET,
// /v1/models. Both empty when the line does not say.
struct RequestLine {
  std::string method = {};
  std::string path = {};
};
RequestLine request_line(std::string_view bytes);

// Why a head must not be trusted, as a message: lines that do not end with CR LF, lengths that
// contradict each other; what one program would read as one request and the next as two. Empty when
// all is well.
std::string wrong_head(std::string_view head);

}  // namespace heed::server
