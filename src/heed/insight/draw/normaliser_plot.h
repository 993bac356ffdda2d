// SPDX-License-Identifier: Apache-2.0
// The picture of a normaliser: its weights over two keys as a curve, and over three keys the
// regions of the score plane that share a support.
#pragma once  // public header

#include <string>

#include "heed/attention/normaliser.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// An SVG image. Left: p1 against theta1 - theta2. Right: the plane theta1 + theta2 + theta3 = 1
// with the simplex drawn in it, each place coloured by how many keys get a weight and each region
// named after them. One that draws is shown for one draw.
std::string normaliser_svg(const attention::Normaliser& normaliser);

}  // namespace heed::insight

#pragma GCC visibility pop
