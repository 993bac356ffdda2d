// SPDX-License-Identifier: Apache-2.0
// The table of an embedding.
#include "heed/nn/embedding.h"

#include <cmath>

#include "heed/nn/initialisers.h"

namespace heed::nn {

Embedding::Embedding(std::int64_t words, std::int64_t width, Random& random, std::int32_t padding)
    : weight(parameter(normal({words, width}, random, 0,
                              static_cast<Real>(1 / std::sqrt(static_cast<double>(width)))))),
      padding(padding) {}

}  // namespace heed::nn
