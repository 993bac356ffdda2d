// SPDX-License-Identifier: Apache-2.0
// Losses, wrong bits, and the slots that heads look at.
#include "heed/pipeline/machine/bit_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "heed/autograd/ops.h"

namespace heed::pipeline {
namespace {

using corpora::BitForm;
using corpora::BitSequence;

constexpr std::size_t kRunTogether = 64;

double log_of_one_plus_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

}  // namespace

BitTensors tensors_of(std::span<const BitSequence> sequences, const BitForm& form) {
  const std::int64_t steps = sequences.front().steps, batch = std::ssize(sequences);
  const std::int64_t inputs = form.inputs(), outputs = form.outputs();
  BitTensors made{.inputs = Tensor({steps, batch, inputs}),
                  .targets = Tensor({steps, batch, outputs}),
                  .asked = Tensor({steps, batch, outputs})};
  Real* in = made.inputs.mutable_data();
  Real* target = made.targets.mutable_data();
  Real* asked = made.asked.mutable_data();
  for (std::int64_t t = 0; t < steps; ++t) {
    for (const BitSequence& one : sequences) {
      const float* input = one.inputs.data() + t * inputs;
      for (std::int64_t i = 0; i < inputs; ++i) *in++ = static_cast<Real>(input[i]);
      const std::int8_t* wanted = one.targets.data() + t * outputs;
      for (std::int64_t i = 0; i < outputs; ++i) {
        const bool counts = wanted[i] != corpora::kUnasked;
        *asked++ = counts ? 1 : 0;
        *target++ = counts ? static_cast<Real>(wanted[i]) : 0;
        made.bits += counts ? 1 : 0;
      }
    }
  }
  return made;
}

Variable bits_loss(const Variable& logits, const BitTensors& batch) {
  // log(1 + e^x) - x of a 1, log(1 + e^x) of a 0; targets are 0 where nothing is asked.
  return sum(softplus(logits) * Variable(batch.asked) - logits * Variable(batch.targets));
}

double BitQuality::cost() const {
  return sequences == 0 ? 0 : nats / std::numbers::ln2 / static_cast<double>(sequences);
}

double BitQuality::wrong_share() const {
  return asked == 0 ? 0 : wrong / asked;
}

BitQuality bit_quality(const BitModel& model, std::span<const BitSequence> sequences,
                       const BitForm& form) {
  const NoGradient none;
  BitQuality quality{.sequences = sequences.size()};
  quality.costs.resize(sequences.size());
  quality.wrongs.resize(sequences.size());
  std::map<std::int64_t, std::vector<std::size_t>> by_steps;
  for (std::size_t i = 0; i < sequences.size(); ++i) by_steps[sequences[i].steps].push_back(i);
  for (const auto& [steps, places] : by_steps) {
    for (std::size_t begin = 0; begin < places.size(); begin += kRunTogether) {
      const std::span<const std::size_t> mine =
          std::span(places).subspan(begin, std::min(kRunTogether, places.size() - begin));
      std::vector<BitSequence> together;
      for (const std::size_t i : mine) together.push_back(sequences[i]);
      const BitTensors batch = tensors_of(together, form);
      const Tensor logits = model(Variable(batch.inputs)).value().packed();
      for (std::int64_t i = 0; i < logits.size(); ++i) {
        if (batch.asked.data()[i] == 0) continue;
        const auto x = static_cast<double>(logits.data()[i]);
        const bool one = batch.targets.data()[i] > Real(.5);
        const std::size_t place =
            mine[static_cast<std::size_t>(i / form.outputs() % std::ssize(mine))];
        const double nats = log_of_one_plus_exp(one ? -x : x);
        const double wrong = (x > 0) != one ? 1 : 0;
        quality.costs[place] += nats / std::numbers::ln2;
        quality.wrongs[place] += wrong;
        quality.nats += nats;
        quality.wrong += wrong;
        quality.asked += 1;
      }
    }
  }
  return quality;
}

std::vector<HeadUse> head_uses(const models::TuringMachine& machine,
                               std::span<const BitSequence> sequences, const BitForm& form) {
  const NoGradient none;
  const models::TuringMachineOptions& options = machine.options();
  std::vector<HeadUse> uses(static_cast<std::size_t>(options.read_heads + options.write_heads),
                            {0, 0});
  for (const BitSequence& one : sequences) {
    const Tensor inputs = tensors_of(std::span(&one, 1), form).inputs;
    std::vector<Tensor> looks;  // [1,H,N], of each step
    models::TuringMachineState state = machine.start(1);
    for (std::int64_t t = 0; t < one.steps; ++t) {
      machine.step(Variable(inputs.select(0, t)), state);
      looks.push_back(state.focus.previous.value().packed());
    }
    for (std::size_t h = 0; h < uses.size(); ++h) {
      std::vector<double> mean;
      double spread = 0;
      for (const Tensor& weights : looks) {
        const std::int64_t slots = weights.size(2);
        mean.resize(static_cast<std::size_t>(slots));
        const Real* row = weights.data() + static_cast<std::int64_t>(h) * slots;
        double squares = 0, all = 0;  // less than 1 where a head of dnc looks nowhere
        for (std::int64_t i = 0; i < slots; ++i) {
          all += static_cast<double>(row[i]);
          squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
          mean[static_cast<std::size_t>(i)] += static_cast<double>(row[i]);
        }
        spread += all * all / std::max(squares, 1e-12);
      }
      const auto steps = static_cast<double>(looks.size());
      const double squares = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.);
      const double all = std::accumulate(mean.begin(), mean.end(), 0.);
      const auto share = 1 / static_cast<double>(sequences.size());
      uses[h].spread += share * spread / steps;
      uses[h].visited += share * all * all / std::max(squares, 1e-12);
    }
  }
  return uses;
}

std::vector<std::string> signs_of_collapse(std::span<const HeadUse> uses,
                                           const models::TuringMachineOptions& options) {
  std::vector<std::string> signs;
  if (options.slots < 4) return signs;
  const auto look = [&](const char* what, std::span<const HeadUse> heads) {
    const double half = static_cast<double>(options.slots) / 2;
    const auto blurred = [&](const HeadUse& use) { return use.spread > half; };
    const auto stuck = [&](const HeadUse& use) { return use.visited < 1.2; };
    if (std::ranges::all_of(heads, blurred)) {
      signs.push_back(fmt::format(
          "every head that {} is spread over {:.0f} of {} slots in a step: it tells none apart. "
          "Learn longer, start with --slots-start random --focus-start first-slot, or try another "
          "--seed or half the --learning-rate",
          what, heads.front().spread, options.slots));
    } else if (std::ranges::all_of(heads, stuck)) {
      signs.push_back(fmt::format(
          "every head that {} stays on one slot ({:.2f} visited in a sequence): the others are "
          "never used. Learn longer, try another --seed or half the --learning-rate, or begin with "
          "shorter sequences (--longest)",
          what, heads.front().visited));
    }
  };
  look("reads", uses.first(static_cast<std::size_t>(options.read_heads)));
  look("writes", uses.subspan(static_cast<std::size_t>(options.read_heads)));
  return signs;
}

}  // namespace heed::pipeline
