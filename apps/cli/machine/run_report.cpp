// SPDX-License-Identifier: Apache-2.0
// Lines for people, JSON for programs.
#include "cli/machine/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "heed/attention/observer.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

using corpora::BitForm;
using corpora::BitTask;
using nlohmann::ordered_json;
using pipeline::MachineRun;

// The bits of a step, then its marks.
std::string input_text(const BitForm& form, const MachineRun& run, std::int64_t step) {
  const float* row = run.sequence.inputs.data() + step * form.inputs();
  std::string bits;
  for (std::int64_t i = 0; i < form.bits; ++i) bits += row[i] > .5F ? '1' : '.';
  for (std::int64_t i = form.bits; i < form.inputs(); ++i) {
    bits += row[i] == 0 ? " ." : row[i] == 1 ? " 1" : fmt::format(" {:+.2f}", row[i]);
  }
  return bits;
}

// Which bits are wrong: "10110010", with "^" below them.
std::string output_text(const MachineRun& run, std::int64_t step) {
  if (!run.asks(step)) return std::string(static_cast<std::size_t>(run.outputs()), ' ') + "  ";
  const std::string said = run.output(step);
  bool right = true;
  for (std::int64_t i = 0; i < run.outputs(); ++i) {
    const std::int8_t target =
        run.sequence.targets[static_cast<std::size_t>(step * run.outputs() + i)];
    right = right && (target == 1) == (said[static_cast<std::size_t>(i)] == '1');
  }
  return said + (right ? "  " : " !");
}

// "  12 .98" of every head.
std::string focus_text(const Tensor& weights, std::int64_t step) {
  std::string text;
  for (std::int64_t h = 0; h < weights.size(0); ++h) {
    const Real* row = weights.data() + (h * weights.size(1) + step) * weights.size(2);
    const Real* most = std::max_element(row, row + weights.size(2));
    text += fmt::format("  {:>4} {:<4}", most - row + 1, fmt::format("{:.2f}", *most));
  }
  return text;
}

std::string percent_text(double share) {
  return fmt::format("{:.2f}%", 100 * share);
}

constexpr Real kSeenWeight = Real(.02);

// The slots that any head looks at, with one more on each side: from the first up to the last.
std::pair<std::int64_t, std::int64_t> used_slots(const MachineRun& run) {
  const std::int64_t slots = run.reads.size(2);
  std::int64_t first = slots, last = 0;
  for (const Tensor* weights : {&run.reads, &run.writes}) {
    for (std::int64_t i = 0; i < weights->size(); ++i) {
      if (weights->data()[i] < kSeenWeight) continue;
      first = std::min(first, i % slots);
      last = std::max(last, i % slots);
    }
  }
  return {std::max<std::int64_t>(first - 1, 0), std::min(last + 2, slots)};
}

ordered_json focus_json(const Tensor& weights) {
  ordered_json heads = ordered_json::array();
  for (std::int64_t h = 0; h < weights.size(0); ++h) {
    ordered_json slots = ordered_json::array();
    for (std::int64_t t = 0; t < weights.size(1); ++t) {
      const Real* row = weights.data() + (h * weights.size(1) + t) * weights.size(2);
      slots.push_back(std::max_element(row, row + weights.size(2)) - row + 1);
    }
    heads.push_back(std::move(slots));
  }
  return heads;
}

}  // namespace

std::string run_line(const MachineRun& run) {
  if (run.asked == 0) return "nothing was asked for";
  return fmt::format("{:.0f} bits, {}; cost {:.3g} bits", run.asked,
                     run.wrong == 0 ? std::string("all right")
                                    : fmt::format("{:.0f} wrong ({:.1f}%)", run.wrong,
                                                  100 * run.wrong / run.asked),
                     run.cost);
}

std::string tape_text(const BitForm& form, const MachineRun& run) {
  const bool heads = run.reads.defined();
  const std::size_t in = std::max<std::size_t>(5, input_text(form, run, 0).size());
  const std::size_t out = std::max<std::size_t>(6, static_cast<std::size_t>(run.outputs()) + 2);
  std::string text = fmt::format("step  {}  {}", pad_right("input", in), pad_right("output", out));
  if (heads) {
    const auto column = [&](const char* name, const Tensor& weights) {
      text += pad_right(fmt::format("  {}", name), static_cast<std::size_t>(11 * weights.size(0)));
    };
    column("writes to", run.writes);
    column("reads from", run.reads);
  }
  const auto add = [](std::string& all, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
  };
  std::string lines;
  add(lines, text);
  for (std::int64_t t = 0; t < run.sequence.steps; ++t) {
    std::string line = fmt::format("{:>4}  {}  {}", t + 1, pad_right(input_text(form, run, t), in),
                                   pad_right(output_text(run, t), out));
    if (heads) line += focus_text(run.writes, t) + focus_text(run.reads, t);
    add(lines, line);
  }
  return lines;
}

std::string run_json(std::span<const MachineRun> runs) {
  ordered_json list = ordered_json::array();
  for (const MachineRun& run : runs) {
    ordered_json object = {
        {"answer", run.answer()}, {"asked", run.asked}, {"wrong", run.wrong}, {"cost", run.cost}};
    if (run.reads.defined()) {
      object["writes"] = focus_json(run.writes);
      object["reads"] = focus_json(run.reads);
    }
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

std::string change_line(std::span<const std::int64_t> steps) {
  if (steps.empty()) return "nothing changed";
  std::vector<std::string> numbers;
  for (const std::int64_t step : steps) numbers.push_back(fmt::format("{}", step + 1));
  return fmt::format("step{} {} changed, nothing else", steps.size() == 1 ? "" : "s",
                     join(numbers, ", "));
}

insight::TapeScene tape_scene(const BitForm& form, const MachineRun& run) {
  const std::int64_t steps = run.sequence.steps, outputs = run.outputs();
  Tensor input({steps, form.inputs()});
  for (std::int64_t i = 0; i < input.size(); ++i) {
    input.mutable_data()[i] = static_cast<Real>(run.sequence.inputs[static_cast<std::size_t>(i)]);
  }
  Tensor target({steps, outputs}), output({steps, outputs});
  for (std::int64_t i = 0; i < target.size(); ++i) {
    const std::int8_t wanted = run.sequence.targets[static_cast<std::size_t>(i)];
    const bool asked = wanted != corpora::kUnasked;
    target.mutable_data()[i] = asked ? static_cast<Real>(wanted) : attention::kMasked;
    output.mutable_data()[i] = asked ? run.probabilities.data()[i] : attention::kMasked;
  }
  insight::TapeScene scene{.strips = {{"input", input}, {"target", target}, {"output", output}}};
  if (!run.reads.defined()) return scene;
  const auto [first, last] = used_slots(run);
  scene.subtitle = fmt::format("slots {} to {} of {}", first + 1, last, run.reads.size(2));
  const auto add = [&, first = first, last = last](const char* name, const Tensor& weights) {
    for (std::int64_t h = 0; h < weights.size(0); ++h) {
      scene.weights.push_back(
          {weights.size(0) == 1 ? std::string(name) : fmt::format("{} {}", name, h + 1),
           weights.select(0, h).slice(1, first, last).packed()});
    }
  };
  add("writes", run.writes);
  add("reads", run.reads);
  return scene;
}

std::string length_table(BitTask task, std::span<const LengthQuality> rows) {
  const bool ngrams = task == BitTask::ngrams;
  std::string text = fmt::format("{:>8}  {:>9}  {:>10}  {:>17}", corpora::length_unit(task),
                                 "sequences", "wrong bits", "bits per sequence");
  text += ngrams ? fmt::format("  {:>4}\n", "best") : "\n";
  for (const LengthQuality& row : rows) {
    text += fmt::format("{:>8}  {:>9}  {:>10}  {:>17.3f}", row.length, row.quality.sequences,
                        percent_text(row.quality.wrong_share()), row.quality.cost());
    text += ngrams ? fmt::format("  {:.1f}\n", row.best_cost) : "\n";
  }
  return text;
}

std::string length_json(BitTask task, std::span<const LengthQuality> rows) {
  ordered_json list = ordered_json::array();
  for (const LengthQuality& row : rows) {
    ordered_json object = {{"length", row.length},
                           {"sequences", row.quality.sequences},
                           {"wrong", row.quality.wrong_share()},
                           {"cost", row.quality.cost()}};
    if (task == BitTask::ngrams) object["best"] = row.best_cost;
    list.push_back(std::move(object));
  }
  return ordered_json{{"lengths", std::move(list)}}.dump(2) + "\n";
}

}  // namespace heed::cli
