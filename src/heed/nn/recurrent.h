// SPDX-License-Identifier: Apache-2.0
// RNN, LSTM and GRU networks: stacked layers, one or two directions, sequences of different
// lengths.
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/nn/dropout.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::nn {

using kernels::Cell;
// "tanh", "relu", "lstm", "gru", in the order of the enumerators.
const std::vector<std::string>& cell_names();

struct RecurrentNetworkOptions {
  Cell cell = Cell::lstm;
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;  // units per layer and direction
  int layers = 1;
  bool bidirectional = false;
  Real dropout = 0;     // between layers
  bool locked = false;  // one mask of dropout for all steps (Gal 2016)
};

// One layer in one direction.
struct RecurrentLayer {
  Variable w_x;   // [G*H, I]
  Variable w_h;   // [G*H, H], orthogonal per gate at first
  Variable bias;  // [G*H], zero at first; an LSTM's forget gate starts at 1 (Jozefowicz 2015)
  Variable candidate_bias;  // [H], GRU only

  RecurrentLayer() = default;
  RecurrentLayer(Cell cell, std::int64_t inputs, std::int64_t hidden, Random& random);
  void visit(ParameterVisitor& visitor);
};

// One state per layer and direction: layer 0 forward, layer 0 backward, layer 1 forward, ...
using RecurrentStates = PooledVector<RecurrentState>;

struct RecurrentOutput {
  Variable outputs;  // [T,B,H], or [T,B,2H] for two directions (forward first); zero past a length
  RecurrentStates final;
};

struct RecurrentNetwork {
  Cell cell = Cell::lstm;
  int directions = 1;
  std::vector<RecurrentLayer> layers;  // layer by layer, forward before backward
  Dropout dropout;
  bool locked = false;

  RecurrentNetwork() = default;
  RecurrentNetwork(const RecurrentNetworkOptions& options, Random& random);

  struct Call {
    Ids lengths{};              // [B], or not defined: all T
    RecurrentStates initial{};  // empty: zeros
    Noise noise = nullptr;
  };
  // x [T,B,I]
  RecurrentOutput operator()(const Variable& x, const Call& call) const;
  RecurrentOutput operator()(const Variable& x) const { return (*this)(x, Call{}); }
  void visit(ParameterVisitor& visitor) { visitor("layers", layers); }
};

}  // namespace heed::nn

#pragma GCC visibility pop
