// SPDX-License-Identifier: Apache-2.0
// Closer: closes sockets whose clients may still be sending. Closed at once, the kernel would reset
// the connection, and the client might never see the answer it was given.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
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

  // Called once, on the closer's thread, with the first line that comes, as far as it came.
  using Heard = std::function<void(std::string_view line)>;
  // Takes the socket over: nothing more is sent, what comes is thrown away, until the other side
  // closes too or a few seconds have passed. Who was answered unread has its first line told.
  void add(int socket, Heard heard = nullptr);

 private:
  struct Closing {
    int socket = -1;
    Heard heard{};
    std::string line{};  // what came so far, while somebody waits for it
    Clock::time_point until{};
  };
  // Whether the other side has closed; throws away what it sent.
  static bool drained(Closing& one);
  void work();

  std::mutex mutex_{};
  std::vector<Closing> added_{};
  bool stopping_ = false;
  std::condition_variable changed_{};
  std::thread thread_;
};

}  // namespace heed::server
