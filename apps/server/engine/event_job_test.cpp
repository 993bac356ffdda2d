// SPDX-License-Identifier: Apache-2.0
#include "server/engine/event_job.h"

#include <gtest/gtest.h>

#include <thread>

#include "server/testing.h"

namespace heed::server {
namespace {

using std::chrono::milliseconds;

class Counting final : public EventJob {
 public:
  Counting() : EventJob({}, testing::small_writer()) {}
  void run(std::span<const Pointer>) override {}
  void count(int to) {
    for (int i = 1; i <= to; ++i) tell(std::to_string(i));
  }
  nlohmann::ordered_json answer() const override { return {}; }
};

TEST(EventJob, GivesEachEventOnceInOrderAcrossThreads) {
  Counting job;
  EXPECT_FALSE(job.take_event(Clock::now() + milliseconds(1)).has_value());
  std::thread engine([&] {
    job.count(100);
    job.finish();
  });
  std::vector<std::string> heard;
  while (heard.size() < 100) {
    if (auto event = job.take_event(Clock::now() + milliseconds(50))) heard.push_back(*event);
  }
  for (std::size_t i = 0; i < heard.size(); ++i) EXPECT_EQ(heard[i], std::to_string(i + 1));
  engine.join();
  // An end wakes who waits.
  const auto start = Clock::now();
  EXPECT_FALSE(job.take_event(start + std::chrono::seconds(20)).has_value());
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace heed::server
