// SPDX-License-Identifier: Apache-2.0
// Hands matrix products to oneDNN's sgemm, which is row-major as Heed is.
#include "heed/kernels/onednn.h"

#include <dnnl.h>

namespace heed::kernels {

bool onednn_gemm(const float* a, const float* b, float* c,
                 const GemmOptions<float>& options) noexcept {
  const auto size = [](std::size_t n) { return static_cast<dnnl_dim_t>(n); };
  return dnnl_sgemm(options.transpose_a ? 'T' : 'N', options.transpose_b ? 'T' : 'N',
                    size(options.m), size(options.n), size(options.k), options.alpha, a,
                    size(options.lda), b, size(options.ldb), options.beta, c,
                    size(options.ldc)) == dnnl_success;
}

}  // namespace heed::kernels
