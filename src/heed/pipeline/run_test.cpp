// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/run.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/nn/linear.h"

namespace heed::pipeline {
namespace {

struct LineOptions : RunOptions {
  LineOptions() {
    declare_run({});
    trainer.declare(list);
  }
};

// y = 2 x, learnt by one weight.
training::Task line_task(nn::Linear& line) {
  return {.parameters = nn::parameters(line),
          .next_batch_loss = [&line](Random&) -> training::BatchLoss {
            const Variable x(Tensor::full({1, 1}, 3));
            return {.loss = sum(square(line(x) - Real{6})), .weight = 1, .words = 1};
          },
          .position = [] { return std::string("0"); },
          .seek = [](const std::string&) {},
          .metrics = {{"loss", training::Better::lower}},
          .validate =
              [] {
                return training::Metrics{{"loss", .125}};
              }};
}

TEST(RunTraining, LeavesConfigWeightsAndACardOfTheLastMeasurement) {
  test::TemporaryFolder place;
  LineOptions options;
  options.out = (place / "model").string();
  options.trainer.max_updates = 3;
  options.trainer.validate_every = "3";
  Random random(1);
  nn::Linear line(1, 1, random);
  const auto card = [](const training::Metrics& measured) {
    return ModelCard{
        .title = "line", .kind = "A line", .facts = {}, .measured = measured, .use = "heed draw"};
  };
  EXPECT_FALSE(options.goes_on());
  const training::Outcome outcome =
      run_training(options, line_task(line),
                   {.task = "draw", .data = "", .card = card, .print = [](std::string_view) {}});
  EXPECT_EQ(outcome.updates, 3);
  EXPECT_TRUE(options.goes_on());
  EXPECT_EQ(options.folder().kept_kind(), "draw");
  EXPECT_NE(read_file(options.folder().card()).find("validation loss | 0.125"), std::string::npos);
  EXPECT_NE(read_file(options.folder().config()).find("max-updates = 3"), std::string::npos);
}

TEST(RunTraining, PlacesComeBackAsTheyWereWritten) {
  const std::array<std::uint64_t, 3> place = {7, 0, 18446744073709551615u};
  EXPECT_EQ(written_place(place), "7 0 18446744073709551615");
  EXPECT_EQ(place_numbers(written_place(place), 3),
            std::vector<std::uint64_t>(place.begin(), place.end()));
  for (const char* bad : {"", "7 0", "7 0 x", "7 0 1 2", "7  1", "7 0 18446744073709551616"}) {
    EXPECT_THROW(place_numbers(bad, 3), DataError) << bad;
  }
}

TEST(RunTraining, FingerprintsFollowTheContentAndPassOverFilesNotNamed) {
  test::TemporaryFolder place;
  const std::string file = (place / "text").string();
  write_atomically(file, "one");
  const std::string before = data_fingerprint(std::array<std::string, 2>{file, ""});
  EXPECT_EQ(before, data_fingerprint(std::array<std::string, 1>{file}));
  write_atomically(file, "two");
  EXPECT_NE(before, data_fingerprint(std::array<std::string, 1>{file}));
}

}  // namespace
}  // namespace heed::pipeline
