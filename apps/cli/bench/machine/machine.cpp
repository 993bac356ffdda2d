// SPDX-License-Identifier: Apache-2.0
// Training steps of a neural Turing machine: 32 sequences of 41 steps (20 vectors of 8 bits to be
// copied), 128 slots of width 20, one head that reads and one that writes, LSTM of 100 or
// feed-forward layer of 100; forward, backward, clipping and Adam.
// benchmarks/peers/machine_pytorch.py does the same work.
#include <vector>

#include "cli/bench/harness.h"
#include "heed/pipeline/machine/bit_quality.h"
#include "heed/training/optimiser.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kMachineBatch = 32, kMachineVectors = 20;

// Of the products, forward and backward: three times two for each weight of the controller and the
// heads, each number of a slot read, compared, erased and added.
double machine_flops(const models::TuringMachineOptions& options, std::int64_t steps) {
  const std::int64_t seen = options.inputs + options.width;
  const std::int64_t controller = options.controller == models::Controller::lstm
                                      ? 4 * options.hidden * (seen + options.hidden)
                                      : options.hidden * seen;
  const std::int64_t heads = options.hidden * (4 * options.width + 12);
  const std::int64_t slots = options.slots * options.width * 5;
  return 6.0 * static_cast<double>(kMachineBatch * steps * (controller + heads + slots));
}

BenchRow machine_step(const char* name, models::Controller controller) {
  const corpora::BitForm form = corpora::usual_form(corpora::BitTask::copy);
  Random random(1);
  const models::TuringMachineOptions options{.inputs = form.inputs(),
                                             .outputs = form.outputs(),
                                             .controller = controller,
                                             .hidden = 100,
                                             .slots = 128,
                                             .width = 20};
  pipeline::BitModel model({.machine = options}, random);
  training::Optimiser adam(nn::parameters(model), training::Adam{});
  const std::vector<corpora::BitSequence> sequences =
      corpora::draw_bits({.form = form, .count = kMachineBatch, .length = kMachineVectors});
  const pipeline::BitTensors batch = pipeline::tensors_of(sequences, form);
  BenchRow row = measure(name, {.flops = machine_flops(options, batch.inputs.size(0))}, [&] {
    backward(bits_loss(model(Variable(batch.inputs)), batch));
    adam.step({.learning_rate = 1e-3, .clip_norm = 10, .gradient_scale = 1 / batch.bits});
  });
  row.words_per_second = static_cast<double>(kMachineBatch) / (row.ms * 1e-3);
  return row;
}

std::vector<BenchRow> machine_rows() {
  return {machine_step("machine_lstm", models::Controller::lstm),
          machine_step("machine_feed_forward", models::Controller::feed_forward)};
}

const ListedBenchmark kListed({"machine", "training steps of a neural Turing machine",
                               machine_rows});

}  // namespace
}  // namespace heed::cli
