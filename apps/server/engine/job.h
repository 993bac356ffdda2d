// SPDX-License-Identifier: Apache-2.0
// Job: one request's work on a model. A worker makes it and waits; the engine's thread does it,
// together with others of the same key.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

namespace heed::server {

using Clock = std::chrono::steady_clock;

struct JobSetting {
  std::string key = {};    // jobs of one key may be done together
  std::int64_t cost = 1;   // tokens, times beams
  std::string model = {};  // its name; empty: it needs none
  Clock::time_point deadline = Clock::time_point::max();
};

class Job {
 public:
  using Pointer = std::shared_ptr<Job>;

  explicit Job(JobSetting setting) : setting_(std::move(setting)) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // On the engine's thread. `batch` begins with this job and holds only such of its key. What it
  // throws befalls the whole batch; the engine then tries each alone.
  virtual void run(std::span<const Pointer> batch) = 0;
  // Whether run() only begins it. Then go_on() is called, in turns with other work, while it gives
  // true.
  virtual bool is_long() const { return false; }
  virtual bool go_on() { return false; }
  virtual std::int64_t written() const { return 0; }  // tokens so far

  const std::string& key() const { return setting_.key; }
  std::int64_t cost() const { return setting_.cost; }
  const std::string& model() const { return setting_.model; }
  Clock::time_point deadline() const { return setting_.deadline; }
  Clock::time_point queued() const { return queued_; }
  void mark_queued() { queued_ = Clock::now(); }

  // Nobody waits for it any more.
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

  // It has ended, well or with an error.
  void finish(std::exception_ptr error = nullptr);
  bool ended() const;
  // Whether it has ended by then.
  bool wait_until(Clock::time_point time) const;
  // Throws what it failed with.
  void check() const;

 protected:
  // For what is heard before the end.
  mutable std::mutex mutex_{};
  mutable std::condition_variable changed_{};
  bool has_ended() const { return ended_; }  // with mutex_ held

 private:
  JobSetting setting_;
  Clock::time_point queued_{};
  std::atomic<bool> cancelled_ = false;
  bool ended_ = false;
  std::exception_ptr error_{};
};

}  // namespace heed::server
