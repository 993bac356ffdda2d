// SPDX-License-Identifier: Apache-2.0
// A trained pointer network in use: what it refuses, what it shows, what every model is asked.
#include "heed/pipeline/pointer/point_solver.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/pointer/pointer_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;

// Hulls, barely learnt.
std::string hull_folder(const TemporaryFolder& folder, models::PointReading reading) {
  PointerOptions options;
  testing::set_small(options, folder.path());
  options.task = "hull";
  options.points = 5;
  options.model.reading = reading;
  options.model.glimpse = true;
  options.model.process = 2;
  options.trainer.max_updates = 2;
  train(options, testing::silent);
  return options.out;
}

TEST(PointSolver, RefusesPointsThatHaveNoHull) {
  const TemporaryFolder folder;
  const PointSolver solver(hull_folder(folder, models::PointReading::lstm));
  const auto refused = [&](const corpora::Points& points) {
    return message_of<UsageError>([&] { solver.point(points); });
  };
  EXPECT_EQ(refused({{0, 0}, {1, 1}, {0, 0}}), "points 1 and 3 coincide; take one of them away");
  EXPECT_EQ(refused({{0, 0}, {1, 1}, {2, 2}}),
            "all points lie on one line, so that there is no hull; give three that do not");
  EXPECT_EQ(refused({{0, 0}, {1, 1}}), "there are 2 points; give 3 or more");
  const std::array inputs{Input{"0,0 1,0 x,1"}};
  EXPECT_NE(message_of<UsageError>([&] { solver.run(inputs); }).find("\"x\" is no number"),
            std::string::npos);
  EXPECT_EQ(message_of<UsageError>([&] {
              solver.run(std::array{Input{"0,0 1,0 0,1"}}, {{"width", "3"}});
            }),
            "a pointer network has no setting \"width\"; it has beam");
}

TEST(PointSolver, ScalesPointsIntoTheUnitSquareByOneFactor) {
  const corpora::Points moved = in_unit_square({{-10, 5}, {30, 5}, {10, 15}});
  EXPECT_EQ(moved, (corpora::Points{{0, 0}, {1, 0}, {.5, .25}}));
  const corpora::Points inside = {{.2, .3}, {.9, .8}};
  EXPECT_EQ(in_unit_square(inside), inside);
}

TEST(PointSolver, IsAModelLikeOthers) {
  const TemporaryFolder folder;
  const std::unique_ptr<Model> model = open_model(hull_folder(folder, models::PointReading::lstm));
  EXPECT_EQ(model->kind().noun, "pointer network");
  EXPECT_EQ(model->length("0,0 1,0 0,1"), 4);
  EXPECT_EQ(model->length("0 0 1 0 0 1"), 4);
  EXPECT_EQ(model->length(""), 1);
  EXPECT_GT(model->parameter_count(), 1000);
  const std::array inputs{Input{"0.1,0.1 0.9,0.2 0.4,0.8 0.5,0.5"}, Input{"0 0 1 0 0 1"}};
  const auto answers = model->run(inputs, {{"beam", "3"}});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_LE(answers[0][0].score, 0);
  EXPECT_EQ(answers[1][0].text.size(), 5u);  // three points: a hull has no fewer
  write_atomically(folder / "sets", "0 0 1 0 0 1 output 1 2 3 1\n.1 0 1 0 0 1 output 1 2 3 1\n");
  ComparedModel contestant{.name = "it"};
  model->measure(std::array{(folder / "sets").string()}, contestant);
  EXPECT_EQ(contestant.sentences, 2u);
  ASSERT_EQ(contestant.measures.size(), 2u);
  const std::array<std::size_t, 2> both = {0, 1};
  EXPECT_NEAR(contestant.measures[1].on(both), 100, 1e-6);  // any triangle covers its own hull
}

class EveryReadingTrace : public ::testing::TestWithParam<models::PointReading> {};

TEST_P(EveryReadingTrace, HasTheWeightsOfEveryStepOverTheChoices) {
  const TemporaryFolder folder;
  const PointSolver solver(hull_folder(folder, GetParam()));
  const TracedRoute traced = solver.trace({{.1, .1}, {.9, .2}, {.4, .8}, {.5, .5}}, {.beam = 2});
  insight::check({.model = "hulls", .examples = {traced.example}});
  const std::int64_t steps = std::ssize(traced.found.route) + 1;
  ASSERT_EQ(traced.weights.shape(), Shape({steps, 5}));
  for (std::int64_t t = 0; t < steps; ++t) {
    double sum = 0;
    for (std::int64_t key = 0; key < 5; ++key) {
      sum += attention::share_of(traced.weights.at({t, key}));
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  std::vector<std::string> sets;
  for (const insight::AttentionSet& set : traced.example.attentions) sets.push_back(set.kind);
  const std::vector<std::string> wanted =
      GetParam() == models::PointReading::lstm ? std::vector<std::string>{"glimpse", "pointing"}
      : GetParam() == models::PointReading::set
          ? std::vector<std::string>{"glimpse", "pointing", "process"}
          : std::vector<std::string>{"glimpse", "pointing", "encoder self"};
  EXPECT_EQ(sets, wanted);
  EXPECT_EQ(insight::strip_of(traced.example, "output").tokens.back(), "end");
}

INSTANTIATE_TEST_SUITE_P(All, EveryReadingTrace,
                         ::testing::Values(models::PointReading::lstm, models::PointReading::set,
                                           models::PointReading::attention));

TEST(PointSolver, RefusesADamagedFolder) {
  const TemporaryFolder folder;
  const std::string path = hull_folder(folder, models::PointReading::lstm);
  write_atomically(path + "/points.toml", "answers = \"circle\"\n");
  EXPECT_NE(message_of<DataError>([&] { PointSolver solver(path); }).find("points.toml"),
            std::string::npos);
  std::filesystem::remove(path + "/points.toml");
  EXPECT_NE(message_of<DataError>([&] { PointSolver solver(path); }).find("points.toml"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::pipeline
