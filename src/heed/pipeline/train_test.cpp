// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/train.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/nn/linear.h"

namespace heed::pipeline {
namespace {

// y = 2 x, learnt by one weight.
class SlopeSetup final : public TrainingSetup {
 public:
  explicit SlopeSetup(Random random) : line_(1, 1, random) {}
  nn::Parameters parameters() override { return nn::parameters(line_); }
  training::Task task() override {
    return {.parameters = {},
            .next_batch_loss = [this](Random&) -> training::BatchLoss {
              const Variable x(Tensor::full({1, 1}, 3));
              return {.loss = sum(square(line_(x) - Real{6})), .weight = 1, .words = 1};
            },
            .position = [] { return std::string("0"); },
            .seek = [](const std::string&) {}};
  }
  CardFacts facts() override { return {{"slope", "two"}}; }
  std::string data() const override { return "one pair"; }
  std::uint64_t epoch_batches() const override { return 1; }

 private:
  nn::Linear line_;
};

struct SlopeOptions final : KindOptions {
  std::string file;

  SlopeOptions() {
    declare_run({});
    trainer.declare(list);
  }
  const ModelKind& kind() const override {
    static const ModelKind kind{
        .name = "slope", .noun = "slope", .example = "heed climb --model {}", .files = {"height"}};
    return kind;
  }
  void apply_preset() override {}
  void check() const override { check_run(); }
  std::vector<std::string> data_files() const override { return {file}; }
  std::vector<text::DataPart> data_parts() const override { return {}; }
  void take_data(std::span<const std::string> files) override { file = files[0]; }
  double suits(std::span<const std::string>) const override { return 0; }
  bool validates() const override { return false; }
  nn::Parameters sketch(Random&, std::int64_t) const override { return {}; }
  std::unique_ptr<TrainingSetup> setup(const Print&) const override {
    return std::make_unique<SlopeSetup>(Random(trainer.seed));
  }
};

TEST(Train, GoesOneWayForEveryKindAndResumesIt) {
  const test::TemporaryFolder place;
  write_atomically(place / "data", "3 6");
  const auto run = [&](const std::string& out, std::int64_t updates) {
    SlopeOptions options;
    options.out = (place / out).string();
    options.file = (place / "data").string();
    options.trainer.max_updates = updates;
    return train(options, [](std::string_view) {});
  };
  const TrainingReport report = run("whole", 4);
  EXPECT_EQ(report.outcome.updates, 4);
  EXPECT_EQ(report.parameters, 2);
  EXPECT_EQ(report.data, "one pair");
  const std::string card = read_file(place / "whole" / "card.md");
  for (const char* fact : {"A slope made by heed", "| slope | two |", "heed climb --model"}) {
    EXPECT_NE(card.find(fact), std::string::npos) << fact << " in\n" << card;
  }
  run("parts", 2);
  run("parts", 4);
  EXPECT_EQ(read_file(place / "parts" / "model.safetensors"),
            read_file(place / "whole" / "model.safetensors"));
  write_atomically(place / "data", "3 7");
  EXPECT_THROW(run("parts", 5), UsageError) << "the data are others";
}

}  // namespace
}  // namespace heed::pipeline
