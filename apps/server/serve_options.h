// SPDX-License-Identifier: Apache-2.0
// All options of `heed serve`: where to listen, whom to let in, limits and batches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/options.h"

namespace heed::server {

enum class LogForm { plain, json, none };

// What a request may ask for, and how many at once.
struct Limits {
  std::int64_t body = 1 << 20;           // bytes
  std::int64_t length = 512;             // tokens of one text
  std::int64_t texts = 64;               // of one request
  std::int64_t cost = 32768;             // tokens times beams of one request
  std::int64_t written = 1000;           // tokens to generate
  std::int64_t beam = 16;                // hypotheses, and translations of one text
  std::int64_t connections = 256;        // at once
  std::int64_t queue = 256;              // requests that wait
  std::int64_t generations = 16;         // texts that are written at once
  std::int64_t requests_per_client = 0;  // at once; 0: any
  double deadline_seconds = 30;          // from a request's last byte to its answer
  double receive_seconds = 10;           // from a request's first byte to its last
  double idle_seconds = 30;              // between requests of one connection
};

// Where to listen. HOST:PORT or [HOST]:PORT as text; UsageError naming the option for another.
struct ListenAddress {
  std::string host = {};
  int port = 0;  // 0: any that is free

  static ListenAddress parse(const std::string& written, const std::string& option);
  // Whether only this machine can reach it.
  bool on_loopback() const;
};

struct BatchLimits {
  std::int64_t tokens = 4096;
  double wait_ms = 2;
};

struct ServeOptions {
  std::vector<std::string> models;  // DIR or NAME=DIR
  std::string host = "127.0.0.1";
  int port = 8080;  // 0: any that is free
  std::vector<std::string> allowed_hosts;
  std::string token, token_file;
  std::string metrics_listen;  // HOST:PORT; empty: where all else is
  bool metrics_open = false;
  bool watch = false;
  bool admin = false;
  std::vector<std::string> model_roots;
  double drain_seconds = 0;
  Limits limits;
  BatchLimits batch;
  LogForm log = LogForm::plain;
  bool log_text = false;
  int threads = 0;
  Options list;

  ServeOptions();
  // The token of --token, of --token-file or of the environment, in this order; empty: none.
  // UsageError for one that a header cannot carry as it is.
  std::string effective_token() const;
  ListenAddress address() const { return {host, port}; }
  // UsageError for options that do not go together: nothing to serve, a server that anybody may
  // change, ...
  void check() const;
};

}  // namespace heed::server
