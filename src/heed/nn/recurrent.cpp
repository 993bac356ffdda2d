// SPDX-License-Identifier: Apache-2.0
// Stacks whole-sequence recurrences: each layer reads the outputs of the one below, both directions
// side by side.
#include "heed/nn/recurrent.h"

#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::nn {

const std::vector<std::string>& cell_names() {
  static const std::vector<std::string> names = {"tanh", "relu", "lstm", "gru"};
  return names;
}

RecurrentLayer::RecurrentLayer(Cell cell, std::int64_t inputs, std::int64_t hidden,
                               Random& random) {
  const auto gates = static_cast<std::int64_t>(kernels::gate_count(cell));
  w_x = parameter(glorot_uniform({gates * hidden, inputs}, random));
  Tensor recurrent_weight({gates * hidden, hidden});
  for (std::int64_t gate = 0; gate < gates; ++gate) {
    recurrent_weight.slice(0, gate * hidden, (gate + 1) * hidden)
        .assign(orthogonal({hidden, hidden}, random));
  }
  w_h = parameter(recurrent_weight);
  Tensor first_bias = Tensor::zeros({gates * hidden});
  if (cell == Cell::lstm) first_bias.slice(0, hidden, 2 * hidden).assign(Tensor::full({hidden}, 1));
  bias = parameter(first_bias);
  if (cell == Cell::gru) candidate_bias = parameter(Tensor::zeros({hidden}));
}

void RecurrentLayer::visit(ParameterVisitor& visitor) {
  visitor("w_x", w_x);
  visitor("w_h", w_h);
  visitor("bias", bias);
  visitor("candidate_bias", candidate_bias);
}

RecurrentNetwork::RecurrentNetwork(const RecurrentNetworkOptions& options, Random& random)
    : cell(options.cell),
      directions(options.bidirectional ? 2 : 1),
      dropout{options.dropout},
      locked(options.locked) {
  if (options.inputs < 1 || options.hidden < 1 || options.layers < 1) {
    throw UsageError(
        "recurrent network: {} inputs, {} hidden units, {} layers; each must be at least 1",
        options.inputs, options.hidden, options.layers);
  }
  std::int64_t inputs = options.inputs;
  for (int layer = 0; layer < options.layers; ++layer) {
    for (int direction = 0; direction < directions; ++direction) {
      layers.emplace_back(cell, inputs, options.hidden, random);
    }
    inputs = options.hidden * directions;
  }
}

RecurrentOutput RecurrentNetwork::operator()(const Variable& x, const Call& call) const {
  if (!call.initial.empty() && call.initial.size() != layers.size()) {
    throw UsageError(
        "recurrent network: {} initial states; it takes {}, one per layer and direction",
        call.initial.size(), layers.size());
  }
  RecurrentOutput result{x, {}};
  for (std::size_t first = 0; first < layers.size();
       first += static_cast<std::size_t>(directions)) {
    const Variable input = first == 0 ? result.outputs
                           : locked   ? dropout.locked(result.outputs, call.noise)
                                      : dropout(result.outputs, call.noise);
    Variables sides;
    for (int direction = 0; direction < directions; ++direction) {
      const std::size_t at = first + static_cast<std::size_t>(direction);
      const RecurrentLayer& layer = layers[at];
      RecurrentResult side =
          recurrent(cell, input, {layer.w_x, layer.w_h, layer.bias, layer.candidate_bias},
                    call.initial.empty() ? RecurrentState{} : call.initial[at],
                    {.lengths = call.lengths, .reverse = direction == 1});
      sides.push_back(std::move(side.outputs));
      result.final.push_back(std::move(side.final));
    }
    result.outputs = directions == 1 ? sides[0] : concat(sides, -1);
  }
  return result;
}

}  // namespace heed::nn
