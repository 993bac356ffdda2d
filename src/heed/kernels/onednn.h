// SPDX-License-Identifier: Apache-2.0
// The calls Heed makes to oneDNN, without its headers.
#pragma once

#include "heed/kernels/gemm.h"

namespace heed::kernels {

// The product alone (no bias, no activation). False when oneDNN could not compute it; C is then as
// it was.
bool onednn_gemm(const float* a, const float* b, float* c,
                 const GemmOptions<float>& options) noexcept;

}  // namespace heed::kernels
