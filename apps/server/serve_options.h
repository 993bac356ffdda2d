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
  bool on_loopback() const;
};

}  // namespace heed::server
