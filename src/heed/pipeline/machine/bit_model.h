// SPDX-License-Identifier: Apache-2.0
// BitModel: what answers sequences of bits, a neural Turing machine or, beside it for contrast, an
// LSTM that has no slots to write to.
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/models/turing_machine.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

enum class BitModelKind { machine, lstm };
// "machine", "lstm", in the order of the enumerators.
const std::vector<std::string>& bit_model_names();

struct BitModelOptions {
  BitModelKind kind = BitModelKind::machine;
  models::TuringMachineOptions machine{};  // an LSTM reads inputs, outputs and hidden of it
  int layers = 1;                          // of an LSTM
};

class BitModel {
 public:
  // UsageError as of models::TuringMachine.
  BitModel(const BitModelOptions& options, Random& random);

  // inputs [T,B,I] -> logits [T,B,O]
  Variable operator()(const Variable& inputs, const models::Call& call = {}) const;
  // nullptr: it is an LSTM.
  const models::TuringMachine* machine() const { return machine_.get(); }
  void visit(nn::ParameterVisitor& visitor);

 private:
  std::unique_ptr<models::TuringMachine> machine_;
  nn::RecurrentNetwork network_;
  nn::Linear output_;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
