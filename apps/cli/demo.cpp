// SPDX-License-Identifier: Apache-2.0
// `heed demo`: a GRU learns the adding problem from scratch, with progress, and shows what it
// learnt.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/options_cli.h"
#include "cli/verb.h"
#include "heed/autograd/ops.h"
#include "heed/base/options.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"
#include "heed/tasks/adding.h"
#include "heed/training/optimiser.h"

namespace heed::cli {
namespace {

struct DemoOptions {
  std::int64_t updates = 800;
  std::int64_t steps = 30;
  std::int64_t batch = 64;
  std::int64_t hidden = 48;
  double learning_rate = 0.005;
  std::int64_t seed = 1;
  Options list;

  DemoOptions() {
    list.add("updates", updates, "optimiser steps").range(1, 1e9);
    list.add("steps", steps, "length of the sequences").range(2, 10000);
    list.add("batch", batch, "sequences per update").range(1, 65536);
    list.add("hidden", hidden, "GRU units").range(1, 8192);
    list.add("learning-rate", learning_rate, "of Adam").range(0, 10);
    list.add("seed", seed, "of all random numbers").range(0, 9e15);
  }
};

// Reads the sequence, answers from the last state.
struct Adder {
  nn::RecurrentNetwork gru;
  nn::Linear answer;

  Adder(std::int64_t hidden, Random& random)
      : gru({.cell = nn::Cell::gru, .inputs = 2, .hidden = hidden}, random),
        answer(hidden, 1, random) {}

  // numbers and marks [T,B,2] -> sums [B,1]
  Variable operator()(const Variable& x) const { return answer(gru(x).final[0].h); }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("gru", gru);
    visitor("answer", answer);
  }
};

struct Batch {
  Tensor inputs;   // [T,B,2]
  Tensor targets;  // [B,1]
};

Tensor as_tensor(const Shape& shape, const std::vector<float>& values) {
  Tensor x(shape);
  std::copy(values.begin(), values.end(), x.mutable_data());
  return x;
}

Batch draw(std::int64_t steps, std::int64_t batch, Random& random) {
  const tasks::AddingBatch drawn = tasks::adding_batch(steps, batch, random);
  return {as_tensor({steps, batch, 2}, drawn.inputs), as_tensor({batch, 1}, drawn.targets)};
}

Variable mean_square_error(const Variable& found, const Tensor& wanted) {
  return mean(square(found - Variable(wanted)));
}

// One character per value, from low to high.
std::string spark_line(const std::vector<double>& values) {
  static const char* const kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double most = *std::max_element(values.begin(), values.end());
  std::string line;
  for (const double value : values) {
    line += kBars[std::min(7, static_cast<int>(8 * value / (most + 1e-12)))];
  }
  return line;
}

void show_examples(const Adder& model, const Batch& test) {
  const NoGradient no_graph;
  const Tensor found = model(test.inputs).value();
  fmt::print("\nsequences it has never seen:\n");
  for (std::int64_t i = 0; i < 5; ++i) {
    std::vector<std::string> marked;
    for (std::int64_t t = 0; t < test.inputs.size(0); ++t) {
      if (test.inputs.at({t, i, 1}) == 1)
        marked.push_back(fmt::format("{:.3f} (step {})", test.inputs.at({t, i, 0}), t));
    }
    fmt::print("  {:<36} = {:.3f}, answered {:.3f}\n", join(marked, " + "), test.targets.at({i, 0}),
               found.at({i, 0}));
  }
}

void run(const DemoOptions& options) {
  Random random(static_cast<std::uint64_t>(options.seed));
  Adder model(options.hidden, random);
  training::Optimiser optimiser(nn::parameters(model), training::Adam{});
  fmt::print("The adding problem: {} numbers, two of them marked; answer their sum.\n",
             options.steps);
  fmt::print("A GRU of {} units, {} parameters, learns it in {} updates of {} sequences.\n\n",
             options.hidden, nn::parameter_count(nn::parameters(model)), options.updates,
             options.batch);

  const auto begin = std::chrono::steady_clock::now();
  std::vector<double> curve;
  double running = 0;
  const std::int64_t stride = std::max<std::int64_t>(1, options.updates / 60);
  {
    Progress progress({.what = "train", .total = static_cast<std::uint64_t>(options.updates)});
    for (std::int64_t update = 1; update <= options.updates; ++update) {
      const Batch batch = draw(options.steps, options.batch, random);
      const Variable loss = mean_square_error(model(batch.inputs), batch.targets);
      backward(loss);
      const double norm = optimiser.step({.learning_rate = options.learning_rate, .clip_norm = 1});
      running = update == 1 ? loss.item() : 0.95 * running + 0.05 * loss.item();
      if (update % stride == 0) curve.push_back(running);
      progress.update(static_cast<std::uint64_t>(update),
                      fmt::format("error {:.4f}  gradient {:.2f}", running, norm));
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Batch test = draw(options.steps, 1000, random);
  const NoGradient no_graph;
  const double error = mean_square_error(model(test.inputs), test.targets).item();
  if (!curve.empty()) fmt::print("error while training  {}\n", spark_line(curve));
  fmt::print(
      "mean square error on 1000 new sequences: {:.5f} (always answering 1: {:.5f}), after {}\n",
      error, tasks::kAddingBaseline, human_duration(seconds));
  show_examples(model, test);
}

Action setup(CLI::App& app) {
  auto options = std::make_shared<DemoOptions>();
  return with_options(app, options->list, [options] { run(*options); });
}

const ListedVerb kListed(
    {.name = "demo",
     .summary = "Train a small network on a built-in task and show what it learnt",
     .description = "",
     .example = "heed demo\nheed demo --steps 60 --updates 2000",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
