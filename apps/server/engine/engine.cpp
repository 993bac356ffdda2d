// SPDX-License-Identifier: Apache-2.0
// The engine's loop: a batch from the queue, then a turn of every text that is being written.
#include "server/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/base/threads.h"
#include "heed/tensor/allocator.h"
#include "server/http/http_error.h"

namespace heed::server {

Engine::Engine(ModelSet models, const Setting& setting, Metrics& metrics)
    : setting_(setting),
      metrics_(metrics),
      queue_(static_cast<std::size_t>(setting.queue), setting.batch),
      models_(std::make_shared<const ModelSet>(std::move(models))),
      thread_([this] { work(); }) {}

Engine::~Engine() {
  stop();
}

std::shared_ptr<const ModelSet> Engine::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

void Engine::replace(ModelSet models) {
  {
    const std::lock_guard lock(mutex_);
    old_sets_.push_back(
        std::exchange(models_, std::make_shared<const ModelSet>(std::move(models))));
  }
  queue_.wake();
}

void Engine::submit(const Job::Pointer& job) {
  if (!queue_.push(job)) refuse();
}

void Engine::check_room() {
  if (queue_.full()) refuse();
}

void Engine::refuse() const {
  throw HttpError({.status = 503, .where = "queue", .retry_seconds = 1},
                  queue_.closed()
                      ? "the server is stopping"
                      : fmt::format("{} requests wait already; try again later", setting_.queue));
}

std::shared_ptr<void> Engine::take_seat() {
  const std::lock_guard lock(mutex_);
  if (seats_.use_count() > setting_.generations) {
    throw HttpError({.status = 503, .where = "generations", .retry_seconds = 1},
                    "{} texts are being written already; try again later", setting_.generations);
  }
  return seats_;
}

std::size_t Engine::generations() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(seats_.use_count() - 1);
}

void Engine::stop() {
  queue_.close();
  if (thread_.joinable()) thread_.join();
}

void Engine::work() {
  set_threads(threads());  // for this thread, which oneDNN asks
  for (;;) {
    std::vector<Job::Pointer> batch = long_jobs_.empty() ? queue_.take() : queue_.take_at_once();
    const bool idle = batch.empty() && long_jobs_.empty();
    if (!batch.empty()) run(std::move(batch));
    go_on();
    forget_old_models();
    if (idle && queue_.closed() && queue_.size() == 0) return;
  }
}

void Engine::run(std::vector<Job::Pointer> batch) {
  std::int64_t tokens = 0;
  for (const Job::Pointer& job : batch) tokens += job->cost();
  metrics_.add_batch(batch.front()->model(), batch.size(), tokens);
  try {
    batch.front()->run(batch);
  } catch (...) {
    if (batch.size() == 1) {
      batch.front()->finish(std::current_exception());
    } else {
      // One of them may be to blame: each for itself.
      for (Job::Pointer& job : batch) run({job});
    }
    return;
  }
  for (const Job::Pointer& job : batch) {
    if (job->is_long()) {
      long_jobs_.push_back(job);
    } else {
      job->finish();
    }
  }
}

void Engine::go_on() {
  std::erase_if(long_jobs_, [&](const Job::Pointer& job) {
    const std::int64_t before = job->written();
    bool more = false;
    std::exception_ptr error;
    try {
      more = job->go_on();
    } catch (...) {
      error = std::current_exception();
    }
    metrics_.add_written(job->model(), job->written() - before);
    if (!more) job->finish(error);
    return !more;
  });
}

void Engine::forget_old_models() {
  std::vector<ModelPointer> dead;
  {
    const std::lock_guard lock(mutex_);
    const auto holds = [](const ModelSet& set, const ModelPointer& model) {
      return std::ranges::find(set, model) != set.end();
    };
    // A model may be in several sets: most changes replace one of many.
    std::erase_if(old_sets_, [&](const std::shared_ptr<const ModelSet>& set) {
      if (set.use_count() > 1) return false;
      for (const ModelPointer& model : *set) {
        if (!holds(*models_, model) && !holds(old_models_, model)) old_models_.push_back(model);
      }
      return true;
    });
    const auto in_use = [](const ModelPointer& model) { return model.use_count() > 1; };
    // Not std::ranges::partition: clang 14 cannot read its result.
    const auto first = std::partition(old_models_.begin(), old_models_.end(), in_use);
    dead.assign(first, old_models_.end());
    old_models_.erase(first, old_models_.end());
  }
  if (dead.empty()) return;
  dead.clear();
  release_cached_blocks();
}

}  // namespace heed::server
