// SPDX-License-Identifier: Apache-2.0
// One of two.
#include "heed/pipeline/machine/bit_model.h"

namespace heed::pipeline {

const std::vector<std::string>& bit_model_names() {
  static const std::vector<std::string> names = {"machine", "lstm"};
  return names;
}

BitModel::BitModel(const BitModelOptions& options, Random& random) {
  const models::TuringMachineOptions& sizes = options.machine;
  if (options.kind == BitModelKind::machine) {
    machine_ = std::make_unique<models::TuringMachine>(sizes, random);
    return;
  }
  network_ = nn::RecurrentNetwork({.cell = nn::Cell::lstm,
                                   .inputs = sizes.inputs,
                                   .hidden = sizes.hidden,
                                   .layers = options.layers},
                                  random);
  output_ = nn::Linear(sizes.hidden, sizes.outputs, random);
}

Variable BitModel::operator()(const Variable& inputs, const models::Call& call) const {
  if (machine_) return (*machine_)(inputs, call);
  return output_(network_(inputs, {.noise = call.noise}).outputs);
}

void BitModel::visit(nn::ParameterVisitor& visitor) {
  visitor("machine", machine_);
  visitor("network", network_);
  visitor("output", output_);
}

}  // namespace heed::pipeline
