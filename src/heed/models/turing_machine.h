// SPDX-License-Identifier: Apache-2.0
// A neural Turing machine (Graves 2014): a controller that reads and writes a memory of slots
// through heads, each of which is an attention whose focus moves on from step to step.
//
// Letters: B sequences, T steps, N slots of width M, R heads that read, W that write, C units of
// the controller.
#pragma once  // public header

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/call.h"
#include "heed/models/state.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

enum class Controller {
  feed_forward,  // one layer of tanh: whatever survives a step went through the memory
  lstm,
};
const std::vector<std::string>& controller_names();

// What the slots hold before the first step. A step treats all slots alike, so that a memory and a
// focus that are the same everywhere stay so for ever: one of the two must tell slots apart.
enum class MemoryStart {
  random,    // uniform in ±1/√(N+M), drawn once from the seed of the options
  constant,  // 1e-6
};
const std::vector<std::string>& memory_start_names();

// Where the heads look before the first step.
enum class FocusStart { first_slot, all_slots };
const std::vector<std::string>& focus_start_names();

struct TuringMachineOptions {
  std::int64_t inputs = 0;   // numbers of a step
  std::int64_t outputs = 0;  // likewise
  Controller controller = Controller::feed_forward;
  std::int64_t hidden = 100;  // C
  std::int64_t slots = 128;   // N: no parameter has it, so that a trained machine may have others
  std::int64_t width = 20;    // M
  std::int64_t read_heads = 1;
  std::int64_t write_heads = 1;
  MemoryStart memory_start = MemoryStart::random;
  FocusStart focus_start = FocusStart::first_slot;
  std::uint64_t memory_seed = 1;
  // Of every head, in its written form: what the controller says is the query, slots are the keys.
  std::string attention =
      "cosine(strength=query, project=true, epsilon=1e-06) | full | softmax | interpolate | "
      "shift(range=1) | sharpen";
};

struct TuringMachineState {
  Variable memory;                  // [B,N,M]
  Variable read;                    // [B,R,M], of the step before
  attention::AttentionState focus;  // of all heads, those that read first
  RecurrentState controller;        // of an LSTM

  void visit(StateVisitor& visitor);
};

class TuringMachine {
 public:
  // UsageError for sizes that cannot be, a start that keeps all slots alike, and an attention that
  // shows no weights.
  TuringMachine(const TuringMachineOptions& options, Random& random);

  TuringMachineState start(std::int64_t batch) const;
  // input [B,inputs] -> logits [B,outputs]; the state becomes that after the step. All heads look
  // at the memory as it was before it.
  Variable step(const Variable& input, TuringMachineState& state, const Call& call = {}) const;
  // inputs [T,B,inputs] -> logits [T,B,outputs], from the start.
  Variable operator()(const Variable& inputs, const Call& call = {}) const;

  const TuringMachineOptions& options() const { return options_; }
  void visit(nn::ParameterVisitor& visitor);

 private:
  std::int64_t heads() const { return options_.read_heads + options_.write_heads; }
  // [B,C]
  Variable controlled(const Variable& seen, TuringMachineState& state) const;

  TuringMachineOptions options_;
  Tensor slots_;         // [N,M], before the first step
  Variable first_read_;  // [R,M]
  nn::Linear layer_;     // of a feed-forward controller
  nn::RecurrentLayer cell_;
  Variable first_h_;  // [C], of an LSTM
  Variable first_c_;
  std::shared_ptr<attention::Attention> look_;
  nn::Linear erase_;
  nn::Linear add_;
  nn::Linear output_;
};

}  // namespace heed::models

#pragma GCC visibility pop
