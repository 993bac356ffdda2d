// SPDX-License-Identifier: Apache-2.0
// A neural Turing machine (Graves 2014): a controller that reads and writes a memory of slots
// through heads, each of which is an attention whose focus moves on from step to step; or, by
// option, goes along in the order of writing (the differentiable neural computer, Graves 2016).
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

// How heads come to the slots they look at.
enum class Addressing {
  ntm,  // by content and from where they were (Graves 2014)
  dnc,  // by content, by what is free to be written, and in the order of writing (Graves 2016)
};
const std::vector<std::string>& addressing_names();
// The attention of heads where none is given.
const std::string& usual_attention(Addressing addressing);

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
  // dnc has one head that writes, heads look nowhere before the first step, and the order of
  // writing takes N² numbers a sequence: up to 512 slots.
  Addressing addressing = Addressing::ntm;
  // Of every head, in its written form: what the controller says is the query, slots are the keys.
  // Of dnc what is found by content. Empty: the usual one.
  std::string attention{};
};

// What the heads of a DNC know of the slots.
struct WrittenSlots {
  Variable usage;                     // [B,N], from 0, free, to 1
  Variable precedence;                // [B,N], how far each was the last to be written
  Variable links;                     // [B,N,N]: i was written right after j
  attention::AttentionState write{};  // of what is found by content
  attention::AttentionState read{};

  void visit(StateVisitor& visitor);
};

struct TuringMachineState {
  Variable memory;  // [B,N,M]
  Variable read;    // [B,R,M], of the step before
  // Of all heads, those that read first; its `previous` [B,R+W,N] is where they looked.
  attention::AttentionState focus;
  RecurrentState controller;  // of an LSTM
  WrittenSlots written{};     // of dnc

  void visit(StateVisitor& visitor);
};

class DncHeads;

class TuringMachine {
 public:
  // UsageError for sizes that cannot be, a start that keeps all slots alike, and an attention that
  // shows no weights.
  TuringMachine(const TuringMachineOptions& options, Random& random);

  TuringMachineState start(std::int64_t batch) const;
  // input [B,inputs] -> logits [B,outputs]; the state becomes that after the step. All heads look
  // at the memory as it was before it; those of dnc read it as it is after the writing.
  Variable step(const Variable& input, TuringMachineState& state, const Call& call = {}) const;
  // inputs [T,B,inputs] -> logits [T,B,outputs], from the start.
  Variable operator()(const Variable& inputs, const Call& call = {}) const;

  const TuringMachineOptions& options() const { return options_; }
  void visit(nn::ParameterVisitor& visitor);

 private:
  std::int64_t heads() const { return options_.read_heads + options_.write_heads; }
  // Weights that a call multiplies by in every step, joined once.
  struct Joined {
    Variable inputs;      // [K,inputs], of the controller, for its inputs; K = 4C for an LSTM
    Variable own;         // [K,RM], for what was read; of an LSTM [K,RM+C], for its state, too
    Variable heads;       // [S,C], all that the usual heads are told, so that they run in one op
    Variable heads_bias;  // [S]; both not defined for other heads, and where heads are watched
  };
  Joined joined(const Call& call) const;
  // What inputs [...,inputs] say to the controller, [...,K].
  Variable heard(const Variable& inputs, const Joined& joined) const;
  // [B,C] from heard [B,K], and the state of an LSTM.
  Variable controlled(const Variable& heard, TuringMachineState& state, const Joined& joined) const;
  // A step but for its answer: what the controller says and what was read, [B,C+RM].
  Variable advance(const Variable& heard, TuringMachineState& state, const Call& call,
                   const Joined& joined) const;
  // Moves the heads, reads and writes.
  void look_around(const Variable& h, TuringMachineState& state, const Call& call,
                   const Joined& joined) const;

  TuringMachineOptions options_;
  Tensor slots_;         // [N,M], before the first step
  Variable first_read_;  // [R,M]
  nn::Linear layer_;     // of a feed-forward controller
  nn::RecurrentLayer cell_;
  Variable first_h_;  // [C], of an LSTM
  Variable first_c_;
  std::shared_ptr<attention::Attention> look_;  // of ntm
  std::shared_ptr<DncHeads> dnc_;
  nn::Linear erase_;
  nn::Linear add_;
  nn::Linear output_;
};

}  // namespace heed::models

#pragma GCC visibility pop
