// SPDX-License-Identifier: Apache-2.0
// Engine: the one thread that owns the models and OpenMP. Workers hand it jobs and wait.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/engine/served_model.h"
#include "server/engine/work_queue.h"
#include "server/http/metrics.h"

namespace heed::server {

class Engine {
 public:
  struct Setting {
    BatchLimits batch{};
    std::int64_t queue = 256;
    std::int64_t generations = 16;
  };
  Engine(ModelSet models, const Setting& setting, Metrics& metrics);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The models of this moment. A job keeps the one it was made with, whatever comes in between.
  // Whoever walks over them holds the pointer: `for (... : *models())` would let go of it at once.
  std::shared_ptr<const ModelSet> models() const;
  // Puts others in their place, between two batches.
  void replace(ModelSet models);

  // HttpError 503 when the queue is full or the engine stops.
  void submit(const Job::Pointer& job);
  // The same, before anything is spent on the request: under overload most requests end here.
  void check_room();
  // A seat for one long piece of work, free again when the last copy is gone. HttpError 503 when
  // all are taken.
  std::shared_ptr<void> take_seat();

  std::size_t queue_length() const { return queue_.size(); }
  std::map<std::string, std::size_t> waiting() const { return queue_.waiting(); }
  std::size_t generations() const;

  // Whether it serves anything and goes on doing so: what load balancers ask for.
  bool ready() const { return !draining_ && !models()->empty(); }
  // It will stop soon; until then it works on.
  void drain() { draining_ = true; }
  bool draining() const { return draining_; }

  // Does what is in the queue, takes no more, and ends.
  void stop();

 private:
  [[noreturn]] void refuse() const;
  void work();
  void run(std::vector<Job::Pointer> batch);
  void go_on();
  void forget_old_models();

  const Setting setting_;
  Metrics& metrics_;
  WorkQueue queue_;
  mutable std::mutex mutex_{};
  std::shared_ptr<const ModelSet> models_;
  // Sets that somebody may still look at, and models of such sets that jobs may still use. Their
  // last owner is the engine, so that their memory is given back on its thread.
  std::vector<std::shared_ptr<const ModelSet>> old_sets_{};
  std::vector<ModelPointer> old_models_{};
  std::shared_ptr<int> seats_ = std::make_shared<int>(0);
  std::atomic<bool> draining_ = false;
  std::vector<Job::Pointer> long_jobs_{};  // the thread's own
  std::thread thread_{};
};

}  // namespace heed::server
