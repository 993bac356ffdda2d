// SPDX-License-Identifier: Apache-2.0
// What self-attention over the cells of a grid does: attention rollout (Abnar & Zuidema 2020), and
// how far each head looks.
#pragma once  // public header

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// Weights [H,T,T] -> [T,T]: ½ I + ½ the heads' mean, rows scaled to sum 1; what a layer hands on
// where half of it goes past attention. UsageError for another shape.
Tensor layer_with_residual(const Tensor& layer);

// Weights [H,T,T] of each layer, the first first -> [T,T]: the product over layers of ½ I + ½ the
// heads' mean, rows scaled to sum 1. Row t says how much of each input has reached token t.
// UsageError for no layers and for shapes that differ.
Tensor attention_rollout(std::span<const Tensor> layers);

// Cells of a grid row by row, behind `tokens` that are no cells.
struct CellLayout {
  std::int64_t columns = 1;
  std::int64_t tokens = 0;
};
// The mean over cells of the distance, in cells, from a cell to those it looks at, by weights
// [T,T]; what goes to tokens is left out. 0 where all of it does.
double mean_distance(const Tensor& weights, const CellLayout& layout);

}  // namespace heed::insight

#pragma GCC visibility pop
