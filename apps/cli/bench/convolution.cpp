// SPDX-License-Identifier: Apache-2.0
// Convolutions of images: forward, and forward with all gradients.
#include <algorithm>

#include "cli/bench/harness.h"
#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kImages = 64, kIn = 32, kOut = 64, kSide = 30, kWindow = 3;

Variable normal_leaf(const Shape& shape, Random& random) {
  Tensor values(shape);
  fill_normal(std::span(values.mutable_data(), static_cast<std::size_t>(values.size())), random);
  return Variable::leaf(values);
}

std::vector<BenchRow> convolution_rows() {
  Random random(1);
  Variable x = normal_leaf({kImages, kIn, kSide, kSide}, random);
  Variable w = normal_leaf({kOut, kIn, kWindow, kWindow}, random);
  Variable bias = normal_leaf({kOut}, random);
  const Variable dy = normal_leaf({kImages, kOut, kSide, kSide}, random);
  const double forward =
      2.0 * kImages * kOut * kSide * kSide * kIn * kWindow * kWindow;  // one product
  std::vector<BenchRow> rows;
  const int most = threads();
  for (int count = 1; count <= most; count += std::max(1, most - 1)) {
    const ThreadScope scope(count);
    rows.push_back(measure("convolution_3x3_32_64_forward", {.flops = forward}, [&] {
      const NoGradient none;
      (void)convolution_2d(x, w, bias, {.padding = 1});
    }));
    rows.push_back(measure("convolution_3x3_32_64", {.flops = 3 * forward}, [&] {
      backward(convolution_2d(x, w, bias, {.padding = 1}), dy.value());
      for (Variable* leaf : {&x, &w, &bias}) leaf->clear_gradient();
    }));
    rows.push_back(
        measure("max_pool_2x2_64", {.bytes = 4.0 * kImages * kOut * kSide * kSide * 3}, [&] {
          Variable pooled = Variable::leaf(dy.value());
          backward(sum(pool_2d(Pooling::maximum, pooled, 2, {.stride = 2})));
        }));
  }
  return rows;
}

const ListedBenchmark kListed({"convolution", "3x3, 32 to 64 channels, 64 images of 30x30",
                               convolution_rows});

}  // namespace
}  // namespace heed::cli
