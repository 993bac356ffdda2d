// SPDX-License-Identifier: Apache-2.0
// One thread polls all sockets that are on their way out.
#include "server/http/closer.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

namespace heed::server {
namespace {

constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kMost = 512;  // beyond these a socket is closed at once
constexpr std::size_t kLongestLine = 1024;

}  // namespace

bool Closer::drained(Closing& one) {
  std::array<char, 65536> block;
  for (int i = 0; i < 16; ++i) {
    const ssize_t count = ::recv(one.socket, block.data(), block.size(), MSG_DONTWAIT);
    if (count == 0) return true;
    if (count < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
    if (!one.heard) continue;
    one.line.append(block.data(), static_cast<std::size_t>(count));
    const std::size_t end = one.line.find('\n');
    if (end == one.line.npos && one.line.size() < kLongestLine) continue;
    std::exchange(one.heard, nullptr)(std::string_view(one.line).substr(0, end));
  }
  return false;
}

Closer::~Closer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Closer::add(int socket, Heard heard) {
  ::shutdown(socket, SHUT_WR);
  {
    const std::lock_guard lock(mutex_);
    added_.push_back({.socket = socket, .heard = std::move(heard)});
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
      for (Closing& one : added_) {
        one.until = Clock::now() + kLinger;
        closing.push_back(std::move(one));
      }
      added_.clear();
      stopping = stopping_;
    }
    std::vector<pollfd> entries;
    for (const Closing& one : closing) entries.push_back({one.socket, POLLIN, 0});
    // Short: what is added meanwhile does not wake it.
    ::poll(entries.data(), entries.size(), 10);
    const auto now = Clock::now();
    const bool many = closing.size() > kMost;
    std::erase_if(closing, [&](Closing& one) {
      const bool over = now >= one.until || stopping || many;
      if (!drained(one) && !over) return false;
      if (one.heard) one.heard(one.line);
      ::close(one.socket);
      return true;
    });
    if (stopping && closing.empty()) return;
  }
}

}  // namespace heed::server
