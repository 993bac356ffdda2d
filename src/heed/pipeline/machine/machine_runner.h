// SPDX-License-Identifier: Apache-2.0
// MachineRunner: a model folder of a neural Turing machine in use, step by step.
//
//   const MachineRunner runner("copy");
//   runner.run(runner.pose("10110010 01011100")).answer();  // what it wrote
#pragma once  // public header

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/bits/bit_tasks.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/pipeline/machine/bit_quality.h"
#include "heed/pipeline/machine/machine_options.h"
#include "heed/pipeline/model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// A slot gets what another holds, or what it held itself before the first step.
struct Overwritten {
  std::int64_t slot = 0;   // from 0 on
  std::int64_t by = -1;    // whose content it gets; -1: its own first
  std::int64_t step = -1;  // before which, from 0 on; -1: the first that asks
};
// "12", "12=7", "12@30" or "12=7@30", all counted from 1. UsageError for anything else.
Overwritten parse_overwritten(const std::string& text);

// Everything that happened in one sequence. T steps, O outputs, R and W heads, N slots.
struct MachineRun {
  corpora::BitSequence sequence{};
  Tensor probabilities{};  // [T,O], of a 1
  Tensor reads{};          // [R,T,N]; not defined: an LSTM
  Tensor writes{};         // [W,T,N]
  Tensor slots{};          // [N,M], after the last step
  double asked = 0;        // bits
  double wrong = 0;
  double cost = 0;  // bits

  std::int64_t outputs() const { return probabilities.size(1); }
  bool asks(std::int64_t step) const;
  // The first step that asks for something, or the last.
  std::int64_t first_asked() const;
  // "1011", what it says in this step.
  std::string output(std::int64_t step) const;
  // All that was asked for, step by step: "1011 0110".
  std::string answer() const;
  // Steps in which another run of the same sequence says something else where it is asked.
  std::vector<std::int64_t> changed(const MachineRun& other) const;
};

class MachineRunner final : public Model {
 public:
  // A folder that `heed train machine` wrote; with other slots than it has learnt with where
  // `slots` is not 0, for no weight depends on them. DataError for a folder that is damaged or of
  // another kind.
  explicit MachineRunner(const std::filesystem::path& folder, std::int64_t slots = 0);

  const corpora::BitForm& form() const { return form_; }
  // nullptr: it is an LSTM.
  const models::TuringMachine* machine() const { return model_->machine(); }

  // UsageError for a slot or a step that there is not, and for overwriting in an LSTM.
  MachineRun run(const corpora::BitSequence& sequence,
                 std::span<const Overwritten> overwritten = {}) const;
  // UsageError for what is no instance of the task.
  corpora::BitSequence pose(std::string_view line) const;
  BitQuality quality(std::span<const corpora::BitSequence> sequences) const {
    return bit_quality(*model_, sequences, form_);
  }
  // Strips "steps" and "slots".
  insight::TracedExample traced(const MachineRun& run) const;

  // As of every model; an input is a line of vectors, its answer the bits it wrote. No settings but
  // "overwrite".
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  std::vector<MachineRun> run_all(std::span<const Input> inputs, const Settings& settings) const;

  MachineOptions options_;
  corpora::BitForm form_;
  std::shared_ptr<BitModel> model_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
