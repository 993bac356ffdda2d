// SPDX-License-Identifier: Apache-2.0
// The three rules of associative memories, each in its own file; the patterns are checked already.
#pragma once

#include "heed/models/associative_memory.h"

namespace heed::models {

std::unique_ptr<AssociativeMemory> make_classical_memory(std::vector<MemoryPattern> patterns);
std::unique_ptr<AssociativeMemory> make_dense_memory(std::vector<MemoryPattern> patterns,
                                                     std::int64_t power);
std::unique_ptr<AssociativeMemory> make_modern_memory(std::vector<MemoryPattern> patterns,
                                                      double beta);

// Divides by the sum of the magnitudes, where there is one.
void divide_by_magnitudes(std::vector<double>& weights);

}  // namespace heed::models
