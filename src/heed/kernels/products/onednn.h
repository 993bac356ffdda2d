// SPDX-License-Identifier: Apache-2.0
// The calls Heed makes to oneDNN, without its headers.
#pragma once

#include "heed/kernels/products/gemm_blocks.h"

namespace heed::kernels {

// The whole of a problem whose B is not packed. False when oneDNN is not installed or could not
// compute it; C is then as it was.
bool onednn_gemm(const GemmProblem<float>& problem) noexcept;

}  // namespace heed::kernels
