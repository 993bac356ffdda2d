// SPDX-License-Identifier: Apache-2.0
// Batches are cut from the front: first come, first served, whatever the keys.
#include "server/engine/work_queue.h"

#include <algorithm>

#include "server/http/http_error.h"

namespace heed::server {

bool WorkQueue::push(const Job::Pointer& job) {
  {
    const std::lock_guard lock(mutex_);
    // A client that went away must not keep others out.
    if (jobs_.size() >= most_) drop_dead();
    if (closed_ || jobs_.size() >= most_) return false;
    job->mark_queued();
    jobs_.push_back(job);
  }
  changed_.notify_one();
  return true;
}

bool WorkQueue::full() {
  const std::lock_guard lock(mutex_);
  if (jobs_.size() >= most_) drop_dead();
  return closed_ || jobs_.size() >= most_;
}

void WorkQueue::drop_dead() {
  const auto now = Clock::now();
  std::erase_if(jobs_, [&](const Job::Pointer& job) {
    if (job->cancelled()) {
      job->finish();
      return true;
    }
    if (job->deadline() > now) return false;
    job->finish(std::make_exception_ptr(
        HttpError({.status = 504}, "the deadline passed before the request's turn came")));
    return true;
  });
}

std::int64_t WorkQueue::ready_tokens() const {
  std::int64_t tokens = 0;
  for (const Job::Pointer& job : jobs_) {
    if (job->key() == jobs_.front()->key()) tokens += job->cost();
  }
  return tokens;
}

std::vector<Job::Pointer> WorkQueue::cut() {
  std::vector<Job::Pointer> batch;
  if (jobs_.empty()) return batch;
  const std::string key = jobs_.front()->key();
  std::int64_t tokens = 0;
  std::deque<Job::Pointer> rest;
  for (Job::Pointer& job : jobs_) {
    const bool room = batch.empty() || tokens + job->cost() <= batch_.tokens;
    if (job->key() == key && room) {
      tokens += job->cost();
      batch.push_back(std::move(job));
    } else {
      rest.push_back(std::move(job));
    }
  }
  jobs_ = std::move(rest);
  return batch;
}

std::vector<Job::Pointer> WorkQueue::take() {
  using std::chrono::duration;
  using std::chrono::duration_cast;
  const auto wait = duration_cast<Clock::duration>(duration<double, std::milli>(batch_.wait_ms));
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return woken_ || closed_ || !jobs_.empty(); });
    drop_dead();
    if (jobs_.empty() && !woken_ && !closed_) continue;
    if (!jobs_.empty()) {
      const auto until = jobs_.front()->queued() + wait;
      const auto enough = [this] {
        return woken_ || closed_ || jobs_.empty() || ready_tokens() >= batch_.tokens;
      };
      changed_.wait_until(lock, until, enough);
      drop_dead();
    }
    woken_ = false;
    return cut();
  }
}

std::vector<Job::Pointer> WorkQueue::take_at_once() {
  const std::lock_guard lock(mutex_);
  drop_dead();
  return cut();
}

void WorkQueue::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_all();
}

void WorkQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

bool WorkQueue::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

std::size_t WorkQueue::size() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

std::map<std::string, std::size_t> WorkQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::size_t> counts;
  for (const Job::Pointer& job : jobs_) ++counts[job->model()];
  return counts;
}

}  // namespace heed::server
