// SPDX-License-Identifier: Apache-2.0
// Which slot to write to next, by how free each is (Graves 2016).
#pragma once

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // libheed calls it

namespace heed {

// usage [B,N], from 0 to 1 -> [B,N]: with the slots of a row in the order of rising usage, φ,
//   y[φ_j] = (1 - u[φ_j]) Π_{i<j} u[φ_i],
// so that the freest slot gets nearly all, and a row sums to 1 - Πu. Equal slots keep their order.
// The order counts as given: gradients are those of the products, and jump where two usages cross.
Variable allocation(const Variable& usage);

}  // namespace heed

#pragma GCC visibility pop
