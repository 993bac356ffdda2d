// SPDX-License-Identifier: Apache-2.0
// The weights of a head as small whole numbers, with what a map of all heads shows of it.
#pragma once

#include <cstdint>
#include <string>

#include "heed/tensor/tensor.h"

namespace heed::insight {

struct HeadCodes {
  double scale = 0;     // the largest weight
  std::string bytes{};  // [Q,K] codes, row by row; of two bytes the low one first
  double entropy = 0;   // of a query's weights in bits, a mean over queries that have any
  double density = 0;   // the share of allowed cells above zero
  int rows = 0;         // of the thumbnail
  int columns = 0;
  std::string thumbnail{};  // codes of one byte, each the largest weight of its block of cells
};

// weights [Q,K], kMasked where masked. A weight w is the code round(w / scale * (2^bits - 2)), but
// at least 1 when w is above zero; masked is 2^bits - 1. bits: 8 or 16.
HeadCodes head_codes(const Tensor& weights, int bits);

}  // namespace heed::insight
