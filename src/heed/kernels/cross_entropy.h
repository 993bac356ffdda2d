// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of rows of logits against class ids, with label smoothing and an ignored id.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::kernels {

// The caller has checked that every target is `ignored` or in [0, classes).
template <typename T>
struct CrossEntropyRows {
  const T* logits = nullptr;              // [rows, classes]
  const std::int32_t* targets = nullptr;  // [rows]
  std::size_t rows = 0;
  std::size_t classes = 0;
  T smoothing = 0;            // share of the target spread evenly over all classes
  std::int32_t ignored = -1;  // such a row has loss 0 and gradient 0
};

// losses_r = log_sum_exp_r - (1 - smoothing) z[target] - smoothing mean(z), for z = logits_r.
// losses [rows], log_sum_exp [rows]; the latter is written for ignored rows too.
template <typename T>
void cross_entropy(const CrossEntropyRows<T>& rows, T* losses, T* log_sum_exp) noexcept;

// dlogits_r = scales_r (softmax(logits_r) - (1 - smoothing) onehot(target) - smoothing / classes);
// scales [rows] is the gradient of each row's loss. dlogits may be logits.
template <typename T>
void cross_entropy_backward(const CrossEntropyRows<T>& rows, const T* log_sum_exp, const T* scales,
                            T* dlogits) noexcept;

}  // namespace heed::kernels
