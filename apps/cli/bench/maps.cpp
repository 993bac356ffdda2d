// SPDX-License-Identifier: Apache-2.0
// Elementwise maps, row kernels and optimiser steps out of cache: how near they come to copying
// memory.
#include <algorithm>

#include "cli/bench/harness.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/norms.h"
#include "heed/kernels/optimisers.h"
#include "heed/kernels/softmax.h"
#include "heed/tensor/tensor.h"

namespace heed::cli {
namespace {

// 64 MiB per array: twice the largest last-level cache Heed has met on one core's share.
constexpr std::int64_t kElements = std::int64_t{16} << 20;
constexpr std::size_t kCount = kElements;

TensorOf<float> filled(std::int64_t count) {
  TensorOf<float> x(Shape{count});
  float* data = x.mutable_data();
  for (std::int64_t i = 0; i < count; ++i) data[i] = static_cast<float>(i % 101) * 0.05f - 2.5f;
  return x;
}

using Map = void (*)(const float*, float*, std::size_t) noexcept;

std::vector<BenchRow> maps() {
  const TensorOf<float> x = filled(kElements);
  TensorOf<float> y = TensorOf<float>::zeros({kElements});
  float* out = y.mutable_data();
  const std::pair<const char*, Map> all[] = {{"exp", kernels::exp<float>},
                                             {"tanh", kernels::tanh<float>},
                                             {"sigmoid", kernels::sigmoid<float>},
                                             {"erf", kernels::erf<float>},
                                             {"gelu", kernels::gelu<float>}};
  std::vector<BenchRow> rows;
  for (const auto& [name, map] : all) {
    rows.push_back(
        measure(name, {.bytes = 8.0 * kElements}, [&, map = map] { map(x.data(), out, kCount); }));
  }
  return rows;
}

std::vector<BenchRow> row_kernels() {
  const TensorOf<float> x = filled(kElements);
  TensorOf<float> y = TensorOf<float>::zeros({kElements});
  const TensorOf<float> gain = filled(512);
  float* out = y.mutable_data();
  const Work work{.bytes = 8.0 * kElements};
  std::vector<BenchRow> rows;
  for (const std::size_t columns : {std::size_t{512}, std::size_t{32768}}) {
    rows.push_back(measure(columns == 512 ? "softmax" : "softmax_32768", work,
                           [&] { kernels::softmax(x.data(), out, kCount / columns, columns); }));
  }
  rows.push_back(measure("log_softmax", work,
                         [&] { kernels::log_softmax(x.data(), out, kCount / 512, 512); }));
  rows.push_back(measure("layer_norm", work, [&] {
    kernels::layer_norm<float>({.x = x.data(),
                                .gain = gain.data(),
                                .bias = gain.data(),
                                .y = out,
                                .rows = kCount / 512,
                                .columns = 512});
  }));
  rows.push_back(measure("rms_norm", work, [&] {
    kernels::rms_norm<float>(
        {.x = x.data(), .gain = gain.data(), .y = out, .rows = kCount / 512, .columns = 512});
  }));
  return rows;
}

std::vector<BenchRow> optimiser_steps() {
  const TensorOf<float> gradient = filled(kElements);
  TensorOf<float> p = filled(kElements);
  TensorOf<float> m = TensorOf<float>::zeros({kElements});
  TensorOf<float> v = TensorOf<float>::full({kElements}, 1);
  const kernels::ParameterUpdate<float> update{.parameters = p.mutable_data(),
                                               .gradient = gradient.data(),
                                               .count = kCount,
                                               .learning_rate = 1e-6};
  float* mean = m.mutable_data();
  float* square = v.mutable_data();
  std::vector<BenchRow> rows;
  // Reads four arrays and writes three; SGD with momentum reads three and writes two.
  rows.push_back(measure("adam", {.bytes = 28.0 * kElements}, [&] {
    kernels::adam<float>(update, {mean, square}, {});
  }));
  rows.push_back(measure("sgd_momentum", {.bytes = 20.0 * kElements},
                         [&] { kernels::sgd<float>(update, mean, {.momentum = 0.9}); }));
  return rows;
}

const ListedBenchmark kMaps({"maps", "exp, tanh, sigmoid, erf, gelu out of cache", maps});
const ListedBenchmark kRows({"rows", "softmax and norms out of cache", row_kernels});
const ListedBenchmark kOptimisers({"optimisers", "Adam and SGD out of cache", optimiser_steps});

}  // namespace
}  // namespace heed::cli
