// SPDX-License-Identifier: Apache-2.0
// A small task for tests of the trainer: an LSTM with dropout that learns to add, on data it draws.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/base/text.h"
#include "heed/nn/dropout.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"
#include "heed/training/trainer.h"

namespace heed::training::test {

// Everything it does is a function of its parameters, its place in the data and the noise.
struct Adder {
  static constexpr std::int64_t kSteps = 4;
  static constexpr std::int64_t kBatchesPerEpoch = 7;

  Random first{1};
  nn::RecurrentNetwork lstm{{.inputs = 2, .hidden = 6}, first};
  nn::Dropout dropout{0.2F};
  nn::Linear answer{6, 1, first};
  Random data{5};
  std::int64_t batches = 0;
  std::int64_t saved_models = 0;
  std::vector<Real> saved_answer = {};  // the output weights of the model saved last

  void visit(nn::ParameterVisitor& visitor) {
    visitor("lstm", lstm);
    visitor("answer", answer);
  }

  // The squared errors of one batch [B], summed.
  Variable errors(Random& random, std::int64_t rows, nn::Noise noise) const {
    Tensor x({kSteps, rows, 2});
    fill_normal(std::span(x.mutable_data(), static_cast<std::size_t>(x.size())), random);
    const Tensor goal = sum(Variable(sum(Variable(x), 0).value()), 1).value().unsqueeze(1);
    const Variable h = lstm(Variable(x)).final[0].h;  // [B,6]
    return sum(square(answer(dropout(h, noise)) - Variable(goal)));
  }

  BatchLoss next(Random& noise) {
    const std::int64_t rows = 2 + static_cast<std::int64_t>(data.integer(5));
    ++batches;
    return {.loss = errors(data, rows, &noise),
            .weight = static_cast<double>(rows),
            .words = static_cast<double>(rows * kSteps),
            .ends_epoch = batches % kBatchesPerEpoch == 0};
  }

  double validation_loss() const {
    Random random(99);
    return static_cast<double>(errors(random, 16, nullptr).item()) / 16;
  }

  // Shares this; wrap its functions to disturb it.
  Task task() {
    return {.parameters = nn::parameters(*this),
            .next_batch_loss = [this](Random& noise) { return next(noise); },
            .position = [this] { return fmt::format("{} {}", data.position(), batches); },
            .seek =
                [this](const std::string& position) {
                  const auto parts = split(position, ' ');
                  data.seek(static_cast<std::uint64_t>(parse_integer(parts.at(0), "position")));
                  batches = parse_integer(parts.at(1), "batches");
                },
            .describe_batch = [this] { return fmt::format("lines {}", batches); },
            .metrics = {{"loss", Better::lower}, {"accuracy", Better::higher}},
            .validate =
                [this] {
                  const double loss = validation_loss();
                  return Metrics{{"loss", loss}, {"accuracy", 1 / (1 + loss)}};
                },
            .save_model =
                [this] {
                  ++saved_models;
                  saved_answer = answer.weight.value().values();
                }};
  }
};

// What a run of the adder prints, in memory, and a clock that goes by itself.
struct Quiet {
  std::vector<std::string> lines;
  double now = 0;

  TrainingRun run(std::filesystem::path folder) {
    return {.folder = std::move(folder),
            .print = [this](std::string_view line) { lines.emplace_back(line); },
            .sink = {.seconds = [this] { return now += 0.01; }}};
  }
  std::string text() const { return join(lines, "\n"); }
};

// Everything on: noise, accumulation, a moving average, a schedule that listens.
inline TrainerOptions busy_options() {
  TrainerOptions options;
  options.max_updates = 40;
  options.accumulate = 2;
  options.ema = 0.9;
  options.clip_norm = 1;
  options.schedule = {
      .decay = Decay::plateau, .peak = 0.02, .warm_up = 5, .factor = 0.5, .patience = 1};
  options.validate_every = "6";
  options.patience = 0;
  options.save_every = "4";
  options.log_every = 3;
  return options;
}

}  // namespace heed::training::test
