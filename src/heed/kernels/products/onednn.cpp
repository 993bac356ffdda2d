// SPDX-License-Identifier: Apache-2.0
// Hands matrix products to oneDNN's sgemm, which is row-major as Heed is, and finishes them: it
// knows no bias and no activation.
#include "heed/kernels/products/onednn.h"

#include <dlfcn.h>
#include <dnnl.h>

#include <string>

#include "heed/base/threads.h"

namespace heed::kernels {
namespace {

using Sgemm = decltype(&dnnl_sgemm);

// Of the oneDNN whose header this was compiled with, loaded when it is first asked for: only
// AVX-512 asks, and Debian's takes 40 MB and OpenCL along. Null where it is not installed.
Sgemm sgemm() {
  static const auto found = [] {
    const std::string library = "libdnnl.so." + std::to_string(DNNL_VERSION_MAJOR);
    void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    return handle == nullptr ? nullptr : reinterpret_cast<Sgemm>(::dlsym(handle, "dnnl_sgemm"));
  }();
  return found;
}

}  // namespace

bool onednn_gemm(const GemmProblem<float>& problem) noexcept {
  const GemmOptions<float>& options = problem.options;
  const Sgemm product = sgemm();
  if (product == nullptr) return false;
  tell_openmp_threads();
  const auto size = [](std::size_t n) { return static_cast<dnnl_dim_t>(n); };
  if (product(options.transpose_a ? 'T' : 'N', options.transpose_b ? 'T' : 'N', size(options.m),
              size(options.n), size(options.k), options.alpha, problem.a, size(options.lda),
              problem.b, size(options.ldb), options.beta, problem.c,
              size(options.ldc)) != dnnl_success) {
    return false;
  }
  if (options.bias != nullptr || options.activation != Activation::none) {
    const std::size_t grain = 1 + (std::size_t{1} << 14) / options.n;
    parallel_for(options.m, grain, [&](std::size_t begin, std::size_t end) {
      gemm_finish(problem, {begin, end, 0, options.n});
    });
  }
  return true;
}

}  // namespace heed::kernels
