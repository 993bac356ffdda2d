// SPDX-License-Identifier: Apache-2.0
#include "server/engine/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "heed/base/error.h"
#include "server/http/http_error.h"
#include "server/testing.h"

namespace heed::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Called final : public Job {
 public:
  Called(JobSetting setting, std::function<void(std::size_t)> call)
      : Job(std::move(setting)), call_(std::move(call)) {}
  void run(std::span<const Pointer> batch) override { call_(batch.size()); }

 private:
  std::function<void(std::size_t)> call_;
};

bool ends(const Job::Pointer& job) {
  return job->wait_until(Clock::now() + seconds(20));
}

TEST(Engine, WorksOnJobsOfOneKeyTogether) {
  Metrics metrics;
  Engine engine({}, {.batch = {.tokens = 3, .wait_ms = 2000}}, metrics);
  std::atomic<std::size_t> size = 0;
  const auto note = [&](std::size_t batch) { size = batch; };
  std::vector<Job::Pointer> jobs;
  for (int i = 0; i < 3; ++i) {
    jobs.push_back(std::make_shared<Called>(JobSetting{.key = "a", .model = "m"}, note));
    engine.submit(jobs.back());
  }
  for (const Job::Pointer& job : jobs) EXPECT_TRUE(ends(job));
  EXPECT_EQ(size, 3u);
  EXPECT_NE(metrics.text({}).find("heed_batch_requests_sum{model=\"m\"} 3.000000"),
            std::string::npos);
}

TEST(Engine, GivesAnErrorToTheJobThatIsToBlame) {
  Metrics metrics;
  Engine engine({}, {.batch = {.tokens = 2, .wait_ms = 2000}}, metrics);
  // As a batch both fail; alone only the second does.
  const auto good = std::make_shared<Called>(JobSetting{.key = "a"}, [](std::size_t batch) {
    if (batch > 1) throw DataError("bad neighbour");
  });
  const auto bad = std::make_shared<Called>(JobSetting{.key = "a"},
                                            [](std::size_t) { throw DataError("bad text"); });
  engine.submit(good);
  engine.submit(bad);
  EXPECT_TRUE(ends(good) && ends(bad));
  EXPECT_NO_THROW(good->check());
  EXPECT_THROW(bad->check(), DataError);
}

TEST(Engine, RefusesWhatItsQueueHasNoRoomFor) {
  Metrics metrics;
  Engine engine({}, {.batch = {.tokens = 1}, .queue = 1}, metrics);
  std::atomic<bool> go = false;
  std::atomic<bool> begun = false;
  const auto wait = [&](std::size_t) {
    begun = true;
    while (!go) std::this_thread::sleep_for(milliseconds(1));
  };
  const auto first = std::make_shared<Called>(JobSetting{.key = "a"}, wait);
  engine.submit(first);
  while (!begun) std::this_thread::sleep_for(milliseconds(1));
  const auto second = std::make_shared<Called>(JobSetting{.key = "b"}, wait);
  engine.submit(second);
  try {
    engine.submit(std::make_shared<Called>(JobSetting{.key = "c"}, wait));
    ADD_FAILURE();
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 503);
    EXPECT_EQ(error.retry_seconds(), 1);
  }
  go = true;
  engine.stop();  // what was accepted is done
  EXPECT_TRUE(first->ended() && second->ended());
  EXPECT_THROW(engine.submit(first), HttpError);
}

TEST(Engine, ServesOldModelsToTheEndAndNewOnesFromThen) {
  Metrics metrics;
  Engine engine({testing::small_translator("old")}, {}, metrics);
  std::weak_ptr<const ServedModel> old;
  {
    const ModelPointer kept = engine.models()->front();
    old = kept;
    engine.replace({testing::small_translator("new")});
    EXPECT_EQ(engine.models()->front()->name, "new");
    EXPECT_EQ(kept->name, "old");
  }
  engine.replace({testing::small_translator("newer")});
  EXPECT_TRUE(testing::eventually([&] { return old.expired(); }));
}

TEST(Engine, KeepsModelsThatSomebodyLooksAt) {
  Metrics metrics;
  Engine engine({testing::small_translator("old")}, {}, metrics);
  const std::shared_ptr<const ModelSet> held = engine.models();
  engine.replace({testing::small_translator("new")});
  const std::weak_ptr<const ServedModel> next = engine.models()->front();
  engine.replace({testing::small_translator("newer")});
  EXPECT_TRUE(testing::eventually([&] { return next.expired(); }));  // it has tidied up
  EXPECT_EQ(held.use_count(), 2) << "they must end on the engine's thread, not on this one";
}

TEST(Engine, KeepsAModelThatAJobUses) {
  Metrics metrics;
  Engine engine({testing::small_translator("old")}, {}, metrics);
  const ModelPointer used = engine.models()->front();
  engine.replace({testing::small_translator("new")});
  const std::weak_ptr<const ServedModel> next = engine.models()->front();
  engine.replace({testing::small_translator("newer")});
  EXPECT_TRUE(testing::eventually([&] { return next.expired(); }));  // it has tidied up
  EXPECT_EQ(used.use_count(), 2) << "it must end on the engine's thread, not on the job's";
}

TEST(Engine, ForgetsAModelThatWasReplacedAmongOthers) {
  Metrics metrics;
  const ModelPointer stays = testing::small_writer();
  Engine engine({testing::small_translator("old"), stays}, {}, metrics);
  const std::weak_ptr<const ServedModel> old = engine.models()->front();
  engine.replace({testing::small_translator("new"), stays});
  EXPECT_TRUE(testing::eventually([&] { return old.expired(); }));
  // The set is gone as well, though one of its models is served still: this one and the new set's.
  EXPECT_TRUE(testing::eventually([&] { return stays.use_count() == 2; }));
}

TEST(Engine, IsReadyWhileItHasModelsAndGoesOn) {
  Metrics metrics;
  Engine empty({}, {}, metrics);
  EXPECT_FALSE(empty.ready());
  empty.replace({testing::small_writer()});
  EXPECT_TRUE(empty.ready());
  empty.drain();
  EXPECT_FALSE(empty.ready());
  const auto job = std::make_shared<Called>(JobSetting{.key = "a"}, [](std::size_t) {});
  empty.submit(job);  // it works on until it is stopped
  EXPECT_TRUE(ends(job));
}

}  // namespace
}  // namespace heed::server
