// SPDX-License-Identifier: Apache-2.0
#include "heed/training/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "heed/base/testing.h"
#include "heed/training/checkpoint.h"
#include "heed/training/testing.h"

namespace heed::training {
namespace {

using heed::test::get;
using heed::test::message_of;
using heed::test::TemporaryFolder;
using test::Adder;
using test::Quiet;

TrainerOptions plain_options(std::int64_t updates) {
  TrainerOptions options;
  options.max_updates = updates;
  options.schedule = {.decay = Decay::constant, .peak = 0.02};
  options.validate_every = "10";
  options.save_every = "10";
  options.log_every = 5;
  options.patience = 0;
  return options;
}

std::vector<std::int64_t> updates_in(const TemporaryFolder& folder) {
  std::vector<std::int64_t> updates;
  for (const CheckpointFile& file : checkpoint_files(folder / "checkpoints")) {
    updates.push_back(file.update);
  }
  return updates;
}

TEST(Trainer, LearnsToAdd) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  const double before = adder.validation_loss();
  const Outcome outcome = train(adder.task(), plain_options(300), quiet.run(folder.path()));
  EXPECT_EQ(outcome.ending, Ending::limit);
  EXPECT_EQ(outcome.updates, 300);
  EXPECT_EQ(outcome.epochs, 300 / Adder::kBatchesPerEpoch);
  EXPECT_LT(adder.validation_loss(), before / 4) << before;
  EXPECT_LE(outcome.best.at("loss"), adder.validation_loss());
}

TEST(Trainer, EveryOptimiserMakesTheLossFall) {
  for (const char* name : {"adam", "adamw", "sgd", "rmsprop", "adagrad"}) {
    const TemporaryFolder folder;
    Adder adder;
    Quiet quiet;
    TrainerOptions options = plain_options(60);
    options.optimiser = name;
    options.clip_norm = 5;
    const double before = adder.validation_loss();
    train(adder.task(), options, quiet.run(folder.path()));
    EXPECT_LT(adder.validation_loss(), before) << name;
  }
}

// Rows of a fixed set, a few per batch.
struct Rows {
  Variable weight = Variable::leaf(Tensor::of({3}, {0.5F, -0.25F, 1}));
  std::vector<std::int64_t> sizes;
  std::size_t batch = 0;
  std::int64_t row = 0;

  Task task() {
    return {.parameters = {{"weight", weight}},
            .next_batch_loss =
                [this](Random&) {
                  Variable loss = Tensor::scalar(0);
                  const std::int64_t rows = sizes[batch++ % sizes.size()];
                  for (std::int64_t i = 0; i < rows; ++i) {
                    Random random(3, static_cast<std::uint64_t>(row++ % 12));
                    Tensor x({3});
                    fill_normal(std::span(x.mutable_data(), 3), random);
                    loss = loss + square(sum(weight * Variable(x)) - 1);
                  }
                  return BatchLoss{.loss = loss, .weight = static_cast<double>(rows)};
                },
            .position = [] { return std::string(); },
            .seek = [](const std::string&) {}};
  }
};

TEST(Trainer, AccumulatedBatchesEqualOneLargeBatch) {
  for (const double clip_norm : {0.0, 0.7}) {
    TrainerOptions options = plain_options(5);
    options.optimiser = "sgd";
    options.clip_norm = clip_norm;
    Rows whole{.sizes = {12}};
    Rows parts{.sizes = {1, 6, 5}};  // of unequal weights, where a mean of means goes wrong
    const TemporaryFolder first;
    const TemporaryFolder second;
    Quiet quiet;
    train(whole.task(), options, quiet.run(first.path()));
    options.accumulate = 3;
    train(parts.task(), options, quiet.run(second.path()));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(whole.weight.value().values()[i], parts.weight.value().values()[i], 1e-6);
    }
    EXPECT_GT(std::abs(whole.weight.value().values()[0] - 0.5F), 0.01);  // and they did move
  }
}

TEST(Trainer, StepsByTheMeanOverAllThatItsBatchesWeigh) {
  Rows rows{.sizes = {12}};
  Random unused(1);
  backward(rows.task().next_batch_loss(unused).loss);
  const std::vector<Real> before = rows.weight.value().values();
  const std::vector<Real> gradient = rows.weight.gradient().values();

  TrainerOptions options = plain_options(1);
  options.optimiser = "sgd";
  options.clip_norm = 0;  // which would hide a wrong scale
  options.accumulate = 3;
  options.schedule.warm_up = 4;  // the first update has a quarter of the rate
  Rows parts{.sizes = {1, 6, 5}};
  const TemporaryFolder folder;
  Quiet quiet;
  train(parts.task(), options, quiet.run(folder.path()));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(parts.weight.value().values()[i], before[i] - 0.005 * gradient[i] / 12, 1e-6);
    EXPECT_GT(std::abs(0.005 * gradient[i] / 12), 1e-4);
  }
}

TEST(Trainer, LetsTheTaskScaleTheRateOfItsPhases) {
  TrainerOptions options = plain_options(1);
  options.optimiser = "sgd";
  std::vector<double> moved;
  for (const double rate : {1.0, .25}) {
    Rows rows{.sizes = {12}};
    const std::vector<Real> before = rows.weight.value().values();
    Task task = rows.task();
    const auto next = task.next_batch_loss;
    task.next_batch_loss = [next, rate](Random& noise) {
      BatchLoss batch = next(noise);
      batch.rate = rate;
      return batch;
    };
    const TemporaryFolder folder;
    Quiet quiet;
    train(task, options, quiet.run(folder.path()));
    moved.push_back(rows.weight.value().values()[0] - before[0]);
  }
  EXPECT_GT(std::abs(moved[0]), 1e-4);
  EXPECT_NEAR(moved[1], moved[0] / 4, 1e-6);
}

TEST(Trainer, StopsEarlyWhenValidationNoLongerImproves) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  std::vector<double> losses = {5, 4, 6, 7, 8, 1};
  std::size_t at = 0;
  task.validate = [&] { return Metrics{{"loss", losses[at++]}, {"accuracy", 0}}; };
  TrainerOptions options = plain_options(0);
  options.patience = 3;
  const Outcome outcome = train(task, options, quiet.run(folder.path()));
  EXPECT_EQ(outcome.ending, Ending::early_stopping);
  EXPECT_EQ(outcome.updates, 50);
  EXPECT_EQ(outcome.best_update, 20);
  EXPECT_EQ(outcome.best.at("loss"), 4);
  EXPECT_EQ(adder.saved_models, 2);
  EXPECT_EQ(quiet.lines.back(), "early stopping: no better loss in the last 3 validations");
  // Again: it has stopped, and stays so without another validation.
  Adder second;
  task = second.task();
  EXPECT_EQ(train(task, options, quiet.run(folder.path())).ending, Ending::early_stopping);
  EXPECT_EQ(second.saved_models, 0);
}

TEST(Trainer, StopsAtEpochsAndMinutesToo) {
  Quiet quiet;
  {
    const TemporaryFolder folder;
    Adder adder;
    TrainerOptions options = plain_options(0);
    options.max_epochs = 3;
    options.validate_every = "1 epoch";
    const Outcome outcome = train(adder.task(), options, quiet.run(folder.path()));
    EXPECT_EQ(outcome.updates, 3 * Adder::kBatchesPerEpoch);
    EXPECT_EQ(outcome.epochs, 3);
    EXPECT_NE(quiet.text().find("update 14  epoch 2  validation:"), std::string::npos);
  }
  const TemporaryFolder folder;
  Adder adder;
  TrainerOptions options = plain_options(0);
  options.max_minutes = 0.01;
  options.save_every = "1 minute";
  const Outcome outcome = train(adder.task(), options, quiet.run(folder.path()));
  EXPECT_EQ(outcome.ending, Ending::limit);
  EXPECT_GT(outcome.updates, 10);
  EXPECT_LT(outcome.updates, 100);
}

TEST(Trainer, RefusesToTrainForEver) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  EXPECT_NE(message_of<UsageError>([&] {
              train(adder.task(), plain_options(0), quiet.run(folder.path()));
            }).find("training would never end; it takes one of --max-updates"),
            std::string::npos);
  TrainerOptions options = plain_options(1);
  options.early_stopping = "bleu";
  EXPECT_NE(message_of<UsageError>([&] {
              train(adder.task(), options, quiet.run(folder.path()));
            }).find("--early-stopping is \"bleu\": validation gives loss, accuracy"),
            std::string::npos);
}

TEST(Trainer, RefusesAHalfMadeTaskBeforeItWritesAnything) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.validate = {};
  EXPECT_NE(message_of<UsageError>([&] {
              train(task, plain_options(1), quiet.run(folder / "model"));
            }).find("2 metrics and no validate; it takes both or none"),
            std::string::npos);
  task = adder.task();
  task.seek = {};
  EXPECT_THROW(train(task, plain_options(1), quiet.run(folder / "model")), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder / "model"));
}

TEST(Trainer, KeepsTheLastCheckpointsAndTheBest) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  double loss = 0;
  task.validate = [&] { return Metrics{{"loss", ++loss}, {"accuracy", 0}}; };
  TrainerOptions options = plain_options(60);
  options.keep_last = 2;
  train(task, options, quiet.run(folder.path()));
  EXPECT_EQ(updates_in(folder), (std::vector<std::int64_t>{10, 50, 60}));
}

TEST(Trainer, SavesACheckpointWithEveryBestModel) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.next_batch_loss = [&](Random& noise) {
    if (adder.batches == 12) throw std::runtime_error("power cut");
    return adder.next(noise);
  };
  TrainerOptions options = plain_options(30);
  options.save_every = "100";
  EXPECT_THROW(train(task, options, quiet.run(folder.path())), std::runtime_error);
  EXPECT_EQ(adder.saved_models, 1);
  EXPECT_EQ(updates_in(folder), std::vector<std::int64_t>{10});
}

TEST(Trainer, StopsAtALossThatIsNotFiniteAndKeepsTheLastCheckpoint) {
  for (const bool in_the_gradient : {false, true}) {
    const TemporaryFolder folder;
    Adder adder;
    Quiet quiet;
    Task task = adder.task();
    task.next_batch_loss = [&](Random& noise) {
      BatchLoss batch = adder.next(noise);
      if (adder.batches < 25) return batch;
      // sqrt is finite at 0, and its slope is not.
      const Variable zero = adder.answer.bias * Real{0};
      batch.loss = in_the_gradient ? batch.loss + sum(sqrt(zero))
                                   : batch.loss * std::numeric_limits<Real>::quiet_NaN();
      return batch;
    };
    const std::string message =
        message_of<UsageError>([&] { train(task, plain_options(100), quiet.run(folder.path())); });
    for (const char* part :
         {"update 25: ", in_the_gradient ? "the gradient's norm is " : "the loss is nan",
          " in the batch of lines 25;", "a lower --learning-rate (it is 0.02)",
          "the last good checkpoint is ", "update-00000020.safetensors"}) {
      EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
    }
    EXPECT_EQ(updates_in(folder), (std::vector<std::int64_t>{10, 20}));
  }
}

TEST(Trainer, TakesNoValidationForTheBestThatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto message = [&](double loss, double accuracy) {
    const TemporaryFolder folder;
    Adder adder;
    Quiet quiet;
    Task task = adder.task();
    task.validate = [&] { return Metrics{{"loss", loss}, {"accuracy", accuracy}}; };
    TrainerOptions options = plain_options(20);
    options.early_stopping = "accuracy";
    const std::string found =
        message_of<DataError>([&] { train(task, options, quiet.run(folder.path())); });
    EXPECT_EQ(adder.saved_models, 0);
    return found;
  };
  EXPECT_TRUE(
      message(infinity, 1)
          .starts_with(
              "update 10: the loss of validation is inf; start over with --reset and a lower "
              "--learning-rate (it is 0.02), "));
  EXPECT_TRUE(message(1, infinity).starts_with("update 20: the accuracy of validation is inf; "));
}

TEST(Trainer, KeepsNoModelOfAnInfinitePerplexity) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.metrics = {{"loss", Better::lower}, {"perplexity", Better::lower}};
  double loss = 1e30;
  task.validate = [&] { return Metrics{{"loss", loss}, {"perplexity", std::exp(loss)}}; };
  EXPECT_TRUE(message_of<DataError>([&] {
                train(task, plain_options(20), quiet.run(folder.path()));
              }).starts_with("update 20: the perplexity of validation is inf; "));
  EXPECT_EQ(adder.saved_models, 0);
  loss = 1;  // a run that recovers
  EXPECT_EQ(train(task, plain_options(30), quiet.run(folder.path())).best_update, 30);
}

TEST(Trainer, ValidatesAndSavesTheMovingAverage) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  TrainerOptions options = plain_options(10);
  options.ema = 0.99;
  train(adder.task(), options, quiet.run(folder.path()));
  const Checkpoint last = read_checkpoint(checkpoint_files(folder / "checkpoints").back().path);
  EXPECT_EQ(adder.saved_answer, last.tensors.at("ema/answer.weight").values());
  EXPECT_EQ(adder.answer.weight.value().values(),
            last.tensors.at("parameters/answer.weight").values());
  EXPECT_NE(adder.saved_answer, adder.answer.weight.value().values());
}

TEST(Trainer, SavesTheLatestModelWhenNothingIsValidated) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.metrics = {};
  task.validate = {};
  const Outcome outcome = train(task, plain_options(15), quiet.run(folder.path()));
  EXPECT_EQ(outcome.best_update, 15);
  EXPECT_EQ(adder.saved_models, 2);  // at 10 and at the end
  EXPECT_EQ(adder.saved_answer, adder.answer.weight.value().values());
}

TEST(Trainer, LogsLinesJsonAndACurve) {
  const TemporaryFolder folder;
  Adder adder;
  Quiet quiet;
  Task task = adder.task();
  task.samples = [] { return std::string("1 + 1 = 2"); };
  TrainerOptions options = plain_options(10);
  options.log_json = (folder / "log.json").string();
  TrainingRun run = quiet.run(folder.path());
  std::string drawn;
  run.draw = [&drawn](const Curve& curve) { drawn = curve.text(); };
  train(task, options, run);
  EXPECT_NE(drawn.find("training loss\t5:"), std::string::npos) << drawn;
  ASSERT_EQ(quiet.lines.size(), 4U) << quiet.text();
  EXPECT_EQ(quiet.lines[0].substr(0, 24), "update 5  epoch 1  loss ");
  EXPECT_NE(quiet.lines[0].find(" words/s  norm "), std::string::npos);
  EXPECT_NE(quiet.lines[0].find("rate 2.00e-02"), std::string::npos);
  EXPECT_NE(quiet.lines[0].find(" left"), std::string::npos);
  EXPECT_NE(quiet.lines[2].find("update 10  epoch 2  validation:  loss "), std::string::npos);
  EXPECT_EQ(quiet.lines[3], "1 + 1 = 2");
  std::vector<std::string> events;
  const std::string content = get(folder / "log.json");
  for (const std::string_view line : split(content, '\n')) {
    if (!line.empty()) events.push_back(nlohmann::json::parse(line).at("event"));
  }
  EXPECT_EQ(events, (std::vector<std::string>{"start", "update", "update", "validation", "end"}));
}

}  // namespace
}  // namespace heed::training
