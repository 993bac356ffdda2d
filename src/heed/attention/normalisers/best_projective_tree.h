// SPDX-License-Identifier: Apache-2.0
// Eisner's algorithm: the best tree whose arcs do not cross.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "heed/attention/normalisers/first_of_equals.h"
#include "heed/attention/normalisers/tree_sums.h"

namespace heed::attention {

// scores [n,n] as best_tree() takes them; of equal trees any.
std::optional<FoundStructure> best_projective_tree(std::span<const double> scores, std::size_t n,
                                                   Roots roots);

}  // namespace heed::attention
