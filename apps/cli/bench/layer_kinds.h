// SPDX-License-Identifier: Apache-2.0
// The kinds of layers that can carry a sequence, side by side: what each costs, how many steps must
// wait for each other, and how far apart two positions are (Vaswani 2017, table 1).
//
// Letters: n positions, d features, k width of a convolution, r reach of a window.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/random.h"

namespace heed::cli {

// x [1,n,d] -> [1,n,d]
using SequenceLayer = std::function<Variable(const Variable& x)>;

struct LayerKind {
  std::string name;
  // The textbook's: work of a layer, steps that wait for each other, longest path between
  // positions.
  std::string work, steps, path;
  std::string op;  // the recorded op that carries a position to another
  // The layer at a depth of a stack (from 0; dilation grows with it).
  std::function<SequenceLayer(std::int64_t width, int depth, Random& random)> make;
  // The same, one op for each step, where `make` gives one op for all of them; else not set.
  std::function<SequenceLayer(std::int64_t width, int depth, Random& random)> make_steps = {};
};

// Self-attention with and without its weights kept, recurrent, convolutional, windowed.
const std::vector<LayerKind>& layer_kinds();

// Ops of one layer over n positions that must wait for each other, counted on the recorded graph.
std::int64_t sequential_steps(const LayerKind& kind, std::int64_t n);
// Steps from the first of n positions to the last through as many layers as it takes for the last
// to feel the first at all, counted on the recorded graph.
std::int64_t longest_path(const LayerKind& kind, std::int64_t n);

// b of the best a x^b, by least squares of the logarithms. UsageError for fewer than two points or
// one that is not above zero.
double fitted_exponent(std::span<const double> x, std::span<const double> y);

}  // namespace heed::cli
