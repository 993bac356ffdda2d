// SPDX-License-Identifier: Apache-2.0
// How far back a sequence model can learn from: the size of the gradient that a loss at the last
// step sends to an input k steps before (Hochreiter 1991, Bengio 1994).
//
//   |d loss_t / d x_{t-k}|   against k
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::cli {

struct ReachOptions {
  std::int64_t steps = 100;  // of the sequence
  std::int64_t width = 64;   // of inputs and hidden states
  std::int64_t batch = 8;    // sequences the gradients are averaged over
  std::uint64_t seed = 1;
};

struct Reach {
  std::string name{};           // of the model
  std::vector<double> norms{};  // [k], k = 0 .. steps - 1, a mean over the batch
};

// RNN, LSTM and GRU, each alone and with attention over its own past, and a Transformer: as they
// are made, before any training, on random inputs. UsageError for sizes below 1.
std::vector<Reach> measure_reach(const ReachOptions& options = {});

// The picture of all of them, the gradient in powers of ten.
std::string reach_svg(std::span<const Reach> models);

}  // namespace heed::cli
