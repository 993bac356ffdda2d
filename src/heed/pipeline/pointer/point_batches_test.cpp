// SPDX-License-Identifier: Apache-2.0
// Batches as a function of their number, made or from a file.
#include "heed/pipeline/pointer/point_batches.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(PointBatches, AreAFunctionOfTheirNumber) {
  PointerOptions options;
  options.batch = 4;
  options.points = 4;
  options.most_points = 7;
  options.epoch_batches = 3;
  PointBatches first(options), second(options);
  std::vector<PointBatch> seen;
  std::set<std::size_t> sizes;
  for (int i = 0; i < 12; ++i) {
    seen.push_back(first.next());
    EXPECT_EQ(seen.back().ends_epoch, i % 3 == 2);
    for (const corpora::PointSet& set : seen.back().sets) {
      EXPECT_EQ(set.points.size(), seen.back().sets.front().points.size());
      sizes.insert(set.points.size());
    }
  }
  EXPECT_GE(sizes.size(), 3u);
  EXPECT_GE(*sizes.begin(), 4u);
  EXPECT_LE(*sizes.rbegin(), 7u);
  second.seek(5);
  EXPECT_EQ(second.next().sets, seen[5].sets);
  EXPECT_NE(seen[0].sets, seen[1].sets);
  EXPECT_EQ(first.report(), "48 fresh sets of 4 to 7 points");
}

TEST(PointBatches, ReadEverySetOfAFileOnceAnEpoch) {
  const test::TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 10; ++i) {
    const bool four = i % 3 == 0;
    text += fmt::format("0 0 1 0 1 1.{} {}output 1 2 {} 1\n", i, four ? "0 1 " : "",
                        four ? "3 4" : "3");
  }
  write_atomically(folder / "sets", text);
  PointerOptions options;
  options.task = (folder / "sets").string();
  options.batch = 4;
  PointBatches batches(options);
  EXPECT_EQ(batches.form().task, corpora::PointTask::hull);
  EXPECT_EQ(batches.form().least, 3);
  EXPECT_EQ(batches.form().fewest, 3);
  EXPECT_EQ(batches.form().most, 4);
  EXPECT_EQ(batches.epoch_batches(), 3u);  // four of the four with 4 points, then 4 and 2
  std::vector<std::vector<double>> orders;
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::vector<double>& heights = orders.emplace_back();
    for (int i = 0; i < 3; ++i) {
      const PointBatch batch = batches.next();
      EXPECT_EQ(batch.ends_epoch, i == 2);
      for (const corpora::PointSet& set : batch.sets) {
        EXPECT_EQ(set.points.size(), batch.sets.front().points.size());
        heights.push_back(set.points[2].y);
      }
    }
    EXPECT_EQ(std::set<double>(heights.begin(), heights.end()).size(), 10u);
  }
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_EQ(batches.report(), "10 sets of 3 to 4 points");
}

TEST(PointBatch, WritesAnswersAsChoices) {
  const PointBatch batch{.sets = {{.points = corpora::Points(4), .answer = {2, 0, 1}},
                                  {.points = corpora::Points(4), .answer = {0, 3}}}};
  EXPECT_EQ(batch.choices().values(), (std::vector<std::int32_t>{3, 1, 2, 0, 1, 4, 0, 0}));
  EXPECT_EQ(batch.targets().values(), (std::vector<std::int32_t>{3, 1, 2, 0, 1, 4, 0, -1}));
}

TEST(ValidationSets, AreNoneOfTheTraining) {
  PointerOptions options;
  options.valid_sets = 7;
  options.points = 4;
  options.most_points = 5;
  const std::vector<corpora::PointSet> sets = validation_sets(options, options.form());
  ASSERT_EQ(sets.size(), 7u);
  EXPECT_EQ(sets.front().points.size(), 4u);
  EXPECT_EQ(sets.back().points.size(), 5u);
  options.task = "tour";
  options.points = options.most_points = 13;
  EXPECT_TRUE(validation_sets(options, options.form()).front().answer.empty());
}

}  // namespace
}  // namespace heed::pipeline
