// SPDX-License-Identifier: Apache-2.0
#include "server/engine/work_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "server/http/http_error.h"

namespace heed::server {
namespace {

using std::chrono::milliseconds;

class Idle final : public Job {
 public:
  using Job::Job;
  void run(std::span<const Pointer>) override {}
};

Job::Pointer job(const std::string& key, std::int64_t cost = 1,
                 Clock::time_point deadline = Clock::time_point::max()) {
  return std::make_shared<Idle>(
      JobSetting{.key = key, .cost = cost, .model = key, .deadline = deadline});
}

TEST(WorkQueue, GivesJobsOfOneKeyTogetherUpToTheTokens) {
  WorkQueue queue(10, {.tokens = 10, .wait_ms = 0});
  const std::vector<Job::Pointer> jobs = {job("a", 4), job("b", 4), job("a", 4), job("a", 4),
                                          job("a", 2)};
  for (const Job::Pointer& one : jobs) EXPECT_TRUE(queue.push(one));
  EXPECT_EQ(queue.waiting(), (std::map<std::string, std::size_t>{{"a", 4}, {"b", 1}}));
  EXPECT_EQ(queue.take(), (std::vector{jobs[0], jobs[2], jobs[4]}));
  EXPECT_EQ(queue.take(), (std::vector{jobs[1]}));
  EXPECT_EQ(queue.take_at_once(), (std::vector{jobs[3]}));
  EXPECT_TRUE(queue.take_at_once().empty());
}

TEST(WorkQueue, GivesAJobThatIsLargerThanABatchAlone) {
  WorkQueue queue(10, {.tokens = 10, .wait_ms = 0});
  queue.push(job("a", 50));
  queue.push(job("a", 1));
  EXPECT_EQ(queue.take().size(), 1u);
}

TEST(WorkQueue, RefusesWhatItHasNoRoomFor) {
  WorkQueue queue(2, {});
  EXPECT_TRUE(queue.push(job("a")));
  const Job::Pointer second = job("a");
  EXPECT_TRUE(queue.push(second));
  EXPECT_TRUE(queue.full());
  EXPECT_FALSE(queue.push(job("a")));
  // A client that went away makes room.
  second->cancel();
  EXPECT_TRUE(queue.push(job("a")));
  EXPECT_TRUE(second->ended());
  queue.close();
  EXPECT_FALSE(queue.push(job("a")));
  EXPECT_EQ(queue.take().size(), 2u);  // what was there is still done
  EXPECT_TRUE(queue.take().empty());
}

TEST(WorkQueue, EndsWhatIsLateOrNoLongerWanted) {
  WorkQueue queue(10, {.tokens = 10, .wait_ms = 0});
  const Job::Pointer late = job("a", 1, Clock::now() - milliseconds(1));
  const Job::Pointer left = job("a");
  const Job::Pointer wanted = job("a");
  for (const Job::Pointer& one : {late, left, wanted}) queue.push(one);
  left->cancel();
  EXPECT_EQ(queue.take(), std::vector{wanted});
  EXPECT_TRUE(left->ended());
  try {
    late->check();
    FAIL();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 504);
  }
}

TEST(WorkQueue, WaitsAMomentForOthersToGoAlong) {
  WorkQueue queue(10, {.tokens = 4, .wait_ms = 5000});
  std::thread others([&] {
    for (int i = 0; i < 4; ++i) {
      std::this_thread::sleep_for(milliseconds(5));
      queue.push(job("a"));
    }
  });
  const auto start = Clock::now();
  EXPECT_EQ(queue.take().size(), 4u);  // enough tokens: it need not wait for 5 s
  EXPECT_LT(Clock::now() - start, milliseconds(4000));
  others.join();

  WorkQueue hasty(10, {.tokens = 1000, .wait_ms = 1});
  hasty.push(job("a"));
  EXPECT_EQ(hasty.take().size(), 1u);
}

TEST(WorkQueue, IsWokenWithoutAJob) {
  WorkQueue queue(10, {});
  std::thread waker([&] {
    std::this_thread::sleep_for(milliseconds(5));
    queue.wake();
  });
  EXPECT_TRUE(queue.take().empty());
  EXPECT_FALSE(queue.closed());
  waker.join();
}

TEST(Job, TellsItsEndAcrossThreads) {
  const Job::Pointer one = job("a");
  EXPECT_FALSE(one->wait_until(Clock::now() + milliseconds(1)));
  std::thread worker([&] { one->finish(std::make_exception_ptr(HttpError({}, "no"))); });
  EXPECT_TRUE(one->wait_until(Clock::now() + std::chrono::seconds(10)));
  worker.join();
  one->finish();  // too late to change anything
  EXPECT_THROW(one->check(), HttpError);
}

}  // namespace
}  // namespace heed::server
