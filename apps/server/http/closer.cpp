// SPDX-License-Identifier: Apache-2.0
// One thread polls all sockets that are on their way out.
#include "server/http/closer.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace heed::server {
namespace {

constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kMost = 512;  // beyond these a socket is closed at once

// Whether the other side has closed; throws away what it sent.
bool drained(int socket) {
  std::array<char, 65536> block;
  for (int i = 0; i < 16; ++i) {
    const ssize_t count = ::recv(socket, block.data(), block.size(), MSG_DONTWAIT);
    if (count == 0) return true;
    if (count < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
  }
  return false;
}

}  // namespace

Closer::~Closer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Closer::add(int socket) {
  ::shutdown(socket, SHUT_WR);
  {
    const std::lock_guard lock(mutex_);
    added_.push_back(socket);
  }
  changed_.notify_one();
}

void Closer::work() {
  std::vector<Closing> closing;
  for (;;) {
    bool stopping = false;
    {
      std::unique_lock lock(mutex_);
      if (closing.empty()) {
        changed_.wait(lock, [this] { return stopping_ || !added_.empty(); });
      }
      for (const int socket : added_) closing.push_back({socket, Clock::now() + kLinger});
      added_.clear();
      stopping = stopping_;
    }
    std::vector<pollfd> entries;
    for (const Closing& one : closing) entries.push_back({one.socket, POLLIN, 0});
    // Short: what is added meanwhile does not wake it.
    ::poll(entries.data(), entries.size(), 10);
    const auto now = Clock::now();
    std::erase_if(closing, [&](const Closing& one) {
      const bool over = now >= one.until || stopping || closing.size() > kMost;
      if (!drained(one.socket) && !over) return false;
      ::close(one.socket);
      return true;
    });
    if (stopping && closing.empty()) return;
  }
}

}  // namespace heed::server
