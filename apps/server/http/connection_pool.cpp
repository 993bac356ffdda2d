// SPDX-License-Identifier: Apache-2.0
// A connection goes to a thread that rests; without one, to a new thread.
#include "server/http/connection_pool.h"

#include <sys/resource.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace heed::server {
namespace {

constexpr int kBehind = 5;  // niceness

thread_local bool refusing_here = false;

}  // namespace

bool ConnectionPool::refusing() {
  return refusing_here;
}

void ConnectionPool::enqueue(std::function<void()> serve) {
  {
    const std::lock_guard lock(mutex_);
    bool room = waiting_.size() < idle_;
    if (!room && threads_.size() < most_) {
      try {
        threads_.emplace_back([this] { work(); });
        ++idle_;  // it is about to rest
        room = true;
      } catch (const std::system_error&) {  // no more threads to be had
      }
    }
    if (room) {
      waiting_.push_back(std::move(serve));
      changed_.notify_one();
      return;
    }
  }
  refusing_here = true;
  serve();
  refusing_here = false;
}

void ConnectionPool::work() {
  // Hundreds of these are awake under overload; the one thread that computes goes first.
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kBehind);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> serve = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_;
    lock.unlock();
    serve();
    lock.lock();
    ++idle_;
  }
}

void ConnectionPool::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace heed::server
