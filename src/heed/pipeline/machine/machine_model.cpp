// SPDX-License-Identifier: Apache-2.0
// A neural Turing machine as one model among others: what it is asked whatever its kind.
#include <numbers>

#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/pipeline/machine/bit_batches.h"
#include "heed/pipeline/machine/machine_runner.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {

std::int64_t MachineRunner::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

// Steps are at most a few more than twice the vectors; of ngrams every bit is one.
std::int64_t MachineRunner::length(std::string_view text) const {
  std::int64_t words = 0, bits = 0;
  bool inside = false;
  for (const char letter : text) {
    const bool space = letter == ' ' || letter == '\t' || letter == ',' || letter == ';';
    if (!space && !inside) ++words;
    if (letter == '0' || letter == '1') ++bits;
    inside = !space;
  }
  return (form_.task == corpora::BitTask::ngrams ? bits : words) + 1;
}

std::vector<MachineRun> MachineRunner::run_all(std::span<const Input> inputs,
                                               const Settings& settings) const {
  std::vector<std::string> written;
  Options list;
  list.add("overwrite", written, "slots that get back what they held at first");
  set(list, settings);
  std::vector<Overwritten> overwritten;
  for (const std::string& one : written) overwritten.push_back(parse_overwritten(one));
  std::vector<MachineRun> runs;
  for (const Input& input : inputs) runs.push_back(run(pose(input.text), overwritten));
  return runs;
}

std::vector<std::vector<Answer>> MachineRunner::run(std::span<const Input> inputs,
                                                    const Settings& settings) const {
  std::vector<std::vector<Answer>> answers;
  for (const MachineRun& one : run_all(inputs, settings)) {
    answers.push_back({{one.answer(), -one.cost * std::numbers::ln2}});
  }
  return answers;
}

std::vector<insight::TracedExample> MachineRunner::trace(std::span<const Input> inputs,
                                                         const Settings& settings) const {
  std::vector<insight::TracedExample> examples;
  for (const MachineRun& one : run_all(inputs, settings)) examples.push_back(traced(one));
  return examples;
}

void MachineRunner::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "machines take one: sequences of bits");
  const std::vector<corpora::BitSequence> sequences = read_sequences(files[0], form_);
  const Stopwatch watch;
  const BitQuality found = quality(sequences);
  watch.stop(contestant);
  if (found.asked == 0) {
    throw DataError("{}: no step asks for anything, so that nothing can be measured", files[0]);
  }
  std::vector<double> asked;
  for (const corpora::BitSequence& one : sequences) {
    double bits = 0;
    for (const std::int8_t target : one.targets) bits += target != corpora::kUnasked ? 1 : 0;
    asked.push_back(bits);
    contestant.units += static_cast<double>(one.steps);
  }
  const auto as_it_is = [](double value) { return value; };
  contestant.sentences = sequences.size();
  contestant.unit = "steps/s";
  contestant.measures = {
      ratio("wrong bits %", found.wrongs, asked, percent),
      ratio("bits per sequence", found.costs, std::vector<double>(sequences.size(), 1), as_it_is)};
  for (Measure& one : contestant.measures) one.lower_is_better = true;
}

}  // namespace heed::pipeline
