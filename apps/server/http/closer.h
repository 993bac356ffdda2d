// SPDX-License-Identifier: Apache-2.0
// Closer: closes sockets whose clients may still be sending. Closed at once, the kernel would reset
// the connection, and the client might never see the answer it was given.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "server/engine/job.h"

namespace heed::server {

class Closer {
 public:
  Closer() : thread_([this] { work(); }) {}
  ~Closer();
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;

  // Takes the socket over: nothing more is sent, what comes is thrown away, until the other side
  // closes too or a few seconds have passed.
  void add(int socket);

 private:
  struct Closing {
    int socket = -1;
    Clock::time_point until{};
  };
  void work();

  std::mutex mutex_{};
  std::vector<int> added_{};
  bool stopping_ = false;
  std::condition_variable changed_{};
  std::thread thread_;
};

}  // namespace heed::server
