// SPDX-License-Identifier: Apache-2.0
// Steps of a machine one by one, with what each head looked at.
#include "heed/pipeline/machine/machine_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/bits/bit_files.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

using corpora::BitSequence;

Real probability_of(Real logit) {
  return 1 / (1 + std::exp(-logit));
}

std::vector<std::string> numbers_to(std::int64_t last) {
  std::vector<std::string> labels;
  for (std::int64_t i = 1; i <= last; ++i) labels.push_back(fmt::format("{}", i));
  return labels;
}

// Counts what is asked for, once the probabilities are known.
void judge_run(MachineRun& run) {
  for (std::size_t i = 0; i < run.sequence.targets.size(); ++i) {
    const std::int8_t target = run.sequence.targets[i];
    if (target == corpora::kUnasked) continue;
    const auto p = static_cast<double>(run.probabilities.data()[i]);
    run.asked += 1;
    run.wrong += (p > .5) != (target == 1) ? 1 : 0;
    run.cost -= std::log2(std::max(target == 1 ? p : 1 - p, 1e-30));
  }
}

}  // namespace

Overwritten parse_overwritten(const std::string& text) {
  const auto number = [&](const std::string& part) {
    const std::int64_t counted = parse_integer(part, "--overwrite");
    if (counted < 1) {
      throw UsageError("--overwrite {}: slots and steps are counted from 1, as in 12=7@30", text);
    }
    return counted - 1;
  };
  const std::size_t at = std::min(text.find('@'), text.size());
  const std::size_t is = std::min(text.find('='), at);
  Overwritten change{.slot = number(text.substr(0, is))};
  if (is < at) change.by = number(text.substr(is + 1, at - is - 1));
  if (at < text.size()) change.step = number(text.substr(at + 1));
  return change;
}

std::int64_t MachineRun::first_asked() const {
  std::int64_t step = 0;
  while (step + 1 < sequence.steps && !asks(step)) ++step;
  return step;
}

bool MachineRun::asks(std::int64_t step) const {
  const auto begin = sequence.targets.begin() + step * outputs();
  return std::any_of(begin, begin + outputs(),
                     [](std::int8_t target) { return target != corpora::kUnasked; });
}

std::string MachineRun::output(std::int64_t step) const {
  std::string text;
  for (std::int64_t i = 0; i < outputs(); ++i) {
    text += probabilities.at({step, i}) > Real(.5) ? '1' : '0';
  }
  return text;
}

std::string MachineRun::answer() const {
  std::vector<std::string> words;
  for (std::int64_t t = 0; t < sequence.steps; ++t) {
    if (asks(t)) words.push_back(output(t));
  }
  return join(words, " ");
}

std::vector<std::int64_t> MachineRun::changed(const MachineRun& other) const {
  std::vector<std::int64_t> steps;
  for (std::int64_t t = 0; t < sequence.steps; ++t) {
    if (asks(t) && output(t) != other.output(t)) steps.push_back(t);
  }
  return steps;
}

MachineRunner::MachineRunner(const std::filesystem::path& path, std::int64_t slots) {
  const ModelFolder folder{path};
  folder.check("machine");
  folder.read_config(options_.list);
  form_ = read_form(folder.file(kBitFormFile));
  if (slots > 0) options_.model.machine.slots = slots;
  Random random(0);
  model_ = folder.made([&]() -> std::shared_ptr<BitModel> {
    return std::make_shared<BitModel>(options_.model_for(form_), random);
  });
  nn::Parameters parameters = nn::parameters(*model_);
  folder.load_weights(parameters);
}

BitSequence MachineRunner::pose(std::string_view line) const {
  std::vector<corpora::BitVector> vectors;
  try {
    vectors = corpora::parse_bit_line(line, "bits");
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
  return corpora::posed(form_, vectors, "bits");
}

MachineRun MachineRunner::run(const BitSequence& sequence,
                              std::span<const Overwritten> overwritten) const {
  const NoGradient none;
  MachineRun run{.sequence = sequence};
  const Tensor inputs = tensors_of(std::span(&sequence, 1), form_).inputs;
  const std::int64_t steps = sequence.steps, outputs = form_.outputs();
  run.probabilities = Tensor({steps, outputs});
  const auto keep = [&](std::int64_t step, const Tensor& logits) {
    const Tensor row = logits.packed();
    for (std::int64_t i = 0; i < outputs; ++i) {
      run.probabilities.mutable_data()[step * outputs + i] = probability_of(row.data()[i]);
    }
  };
  const models::TuringMachine* machine = this->machine();
  if (machine == nullptr) {
    if (!overwritten.empty()) {
      throw UsageError("--overwrite: the model is an LSTM, which has no slots");
    }
    const Tensor logits = (*model_)(Variable(inputs)).value();
    for (std::int64_t t = 0; t < steps; ++t) keep(t, logits.select(0, t));
    judge_run(run);
    return run;
  }
  const models::TuringMachineOptions& sizes = machine->options();
  for (const Overwritten& change : overwritten) {
    if (std::max(change.slot, change.by) >= sizes.slots || change.step >= steps) {
      throw UsageError(
          "--overwrite: slot {}{}; the machine has {} slots, and the sequence {} steps",
          std::max(change.slot, change.by) + 1,
          change.step < 0 ? "" : fmt::format(" at step {}", change.step + 1), sizes.slots, steps);
    }
  }
  models::TuringMachineState state = machine->start(1);
  const Tensor first = state.memory.value().packed();  // [1,N,M]
  const std::int64_t slots = sizes.slots, reads = sizes.read_heads, writes = sizes.write_heads;
  run.reads = Tensor({reads, steps, slots});
  run.writes = Tensor({writes, steps, slots});
  for (std::int64_t t = 0; t < steps; ++t) {
    for (const Overwritten& change : overwritten) {
      if ((change.step < 0 ? run.first_asked() : change.step) != t) continue;
      Tensor changed = state.memory.value().clone();
      const std::int64_t by = change.by < 0 ? change.slot : change.by;
      const Tensor& from = change.by < 0 ? first : state.memory.value();
      changed.slice(1, change.slot, change.slot + 1).assign(from.slice(1, by, by + 1));
      state.memory = Variable(changed);
    }
    keep(t, machine->step(Variable(inputs.select(0, t)), state).value());
    const Tensor weights = state.focus.previous.value().packed();  // [1,H,N]
    for (std::int64_t h = 0; h < reads + writes; ++h) {
      Tensor& to = h < reads ? run.reads : run.writes;
      const std::int64_t head = h < reads ? h : h - reads;
      std::copy_n(weights.data() + h * slots, slots,
                  to.mutable_data() + (head * steps + t) * slots);
    }
  }
  run.slots = state.memory.value().select(0, 0).packed();
  judge_run(run);
  return run;
}

insight::TracedExample MachineRunner::traced(const MachineRun& run) const {
  insight::TracedExample example{.title = run.answer()};
  std::vector<std::string> steps;
  const std::int64_t inputs = form_.inputs();
  for (std::int64_t t = 0; t < run.sequence.steps; ++t) {
    if (run.asks(t)) {
      steps.push_back(run.output(t));
      continue;
    }
    std::string shown;
    for (std::int64_t i = 0; i < form_.bits; ++i) {
      shown += run.sequence.inputs[static_cast<std::size_t>(t * inputs + i)] > .5F ? '1' : '0';
    }
    const auto* marks = &run.sequence.inputs[static_cast<std::size_t>(t * inputs)];
    const bool marked =
        std::any_of(marks + form_.bits, marks + inputs, [](float mark) { return mark != 0; });
    steps.push_back(marked && shown.find('1') == std::string::npos ? "|" : shown);
  }
  example.strips.push_back({.name = "steps", .tokens = std::move(steps)});
  if (!run.reads.defined()) return example;
  example.strips.push_back({.name = "slots", .tokens = numbers_to(run.reads.size(2))});
  const auto add = [&](const char* name, const Tensor& weights) {
    insight::AttentionSet set{.kind = name, .queries = "steps", .keys = "slots", .stepwise = true};
    for (std::int64_t h = 0; h < weights.size(0); ++h) {
      set.heads.push_back({.head = static_cast<int>(h), .weights = weights.select(0, h).packed()});
    }
    example.attentions.push_back(std::move(set));
  };
  add("writes", run.writes);
  add("reads", run.reads);
  return example;
}

}  // namespace heed::pipeline
