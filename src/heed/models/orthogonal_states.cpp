// SPDX-License-Identifier: Apache-2.0
// Step by step, for each state goes into the next one.
#include "heed/models/orthogonal_states.h"

#include "heed/autograd/ops.h"

namespace heed::models {
namespace {

constexpr Real kNoSum = Real(1e-12);  // of a square: before the first state nothing is taken away

// x [B,D] without its part along `along` [B,D]
Variable without_part(const Variable& x, const Variable& along) {
  const std::int64_t rows = x.size(0);
  const Variable product = reshape(sum(x * along, 1), {rows, 1});
  const Variable square = reshape(sum(along * along, 1), {rows, 1});
  return x - along * (product / (square + kNoSum));
}

// Which sequences have a token t: [B,1], 0 or 1.
Tensor present(const Ids& lengths, std::int64_t t) {
  Tensor mask({lengths.size(), 1});
  for (std::int64_t b = 0; b < lengths.size(); ++b) {
    mask.mutable_data()[b] = lengths.at({b}) > t ? 1 : 0;
  }
  return mask;
}

struct OrthogonalSide {
  Variable outputs;
  RecurrentState final;
};

// Padding is passed over: the states before it stay, so that reading backwards begins at the end
// of each sequence.
OrthogonalSide read_side(nn::Cell cell, const Variable& x, const nn::RecurrentLayer& layer,
                         const Ids& lengths, bool reverse) {
  const std::int64_t steps = x.size(0), rows = x.size(1), width = layer.w_h.size(1);
  RecurrentState state{Tensor::zeros({rows, width}), {}};
  if (cell == nn::Cell::lstm) state.c = Tensor::zeros({rows, width});
  Variable before(Tensor::zeros({rows, width}));  // the sum of the states so far
  std::vector<Variable> outputs(static_cast<std::size_t>(steps));
  for (std::int64_t i = 0; i < steps; ++i) {
    const std::int64_t t = reverse ? steps - 1 - i : i;
    const Variable mask(present(lengths, t));
    const RecurrentState next =
        recurrent(cell, slice(x, 0, t, t + 1),
                  {layer.w_x, layer.w_h, layer.bias, layer.candidate_bias}, state, {})
            .final;
    const Variable h = without_part(next.h, before) * mask;
    before = before + h;
    const Variable stays = Real{1} - mask;
    state.h = h + state.h * stays;
    if (cell == nn::Cell::lstm) state.c = next.c * mask + state.c * stays;
    outputs[static_cast<std::size_t>(t)] = h;
  }
  return {stack(outputs, 0), state};
}

}  // namespace

nn::RecurrentOutput orthogonal_states(const nn::RecurrentNetwork& network, const Variable& x,
                                      const Ids& lengths, nn::Noise noise) {
  nn::RecurrentOutput result{x, {}};
  const auto directions = static_cast<std::size_t>(network.directions);
  for (std::size_t first = 0; first < network.layers.size(); first += directions) {
    const Variable input = first == 0       ? result.outputs
                           : network.locked ? network.dropout.locked(result.outputs, noise)
                                            : network.dropout(result.outputs, noise);
    Variables sides;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      OrthogonalSide side = read_side(network.cell, input, network.layers[first + direction],
                                      lengths, direction == 1);
      sides.push_back(std::move(side.outputs));
      result.final.push_back(std::move(side.final));
    }
    result.outputs = directions == 1 ? sides[0] : concat(sides, -1);
  }
  return result;
}

}  // namespace heed::models
