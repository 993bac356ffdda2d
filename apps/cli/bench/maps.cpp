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

Tensor filled(std::int64_t count) {
  Tensor x(Shape{count});
  Real* data = x.mutable_data();
  for (std::int64_t i = 0; i < count; ++i)
    data[i] = static_cast<Real>(i % 101) * Real(0.05) - Real(2.5);
  return x;
}

using Map = void (*)(const Real*, Real*, std::size_t) noexcept;

std::vector<BenchRow> maps() {
  const Tensor x = filled(kElements);
  Tensor y = Tensor::zeros({kElements});
  Real* out = y.mutable_data();
  const std::pair<const char*, Map> all[] = {{"exp", kernels::exp<Real>},
                                             {"tanh", kernels::tanh<Real>},
                                             {"sigmoid", kernels::sigmoid<Real>},
                                             {"erf", kernels::erf<Real>},
                                             {"gelu", kernels::gelu<Real>}};
  std::vector<BenchRow> rows;
  for (const auto& [name, map] : all) {
    rows.push_back(measure(name, {.bytes = 2.0 * sizeof(Real) * kElements},
                           [&, map = map] { map(x.data(), out, kCount); }));
  }
  return rows;
}

std::vector<BenchRow> row_kernels() {
  const Tensor x = filled(kElements);
  Tensor y = Tensor::zeros({kElements});
  const Tensor gain = filled(512);
  Real* out = y.mutable_data();
  const Work work{.bytes = 2.0 * sizeof(Real) * kElements};
  std::vector<BenchRow> rows;
  for (const std::size_t columns : {std::size_t{512}, std::size_t{32768}}) {
    rows.push_back(measure(columns == 512 ? "softmax" : "softmax_32768", work,
                           [&] { kernels::softmax(x.data(), out, kCount / columns, columns); }));
  }
  rows.push_back(measure("log_softmax", work,
                         [&] { kernels::log_softmax(x.data(), out, kCount / 512, 512); }));
  rows.push_back(measure("layer_norm", work, [&] {
    kernels::layer_norm<Real>({.x = x.data(),
                               .gain = gain.data(),
                               .bias = gain.data(),
                               .y = out,
                               .rows = kCount / 512,
                               .columns = 512});
  }));
  rows.push_back(measure("rms_norm", work, [&] {
    kernels::rms_norm<Real>(
        {.x = x.data(), .gain = gain.data(), .y = out, .rows = kCount / 512, .columns = 512});
  }));
  return rows;
}

std::vector<BenchRow> optimiser_steps() {
  const Tensor gradient = filled(kElements);
  Tensor p = filled(kElements);
  Tensor m = Tensor::zeros({kElements});
  Tensor v = Tensor::full({kElements}, 1);
  const kernels::ParameterUpdate<Real> update{.parameters = p.mutable_data(),
                                              .gradient = gradient.data(),
                                              .count = kCount,
                                              .learning_rate = 1e-6};
  Real* mean = m.mutable_data();
  Real* square = v.mutable_data();
  std::vector<BenchRow> rows;
  // Reads four arrays and writes three; SGD with momentum reads three and writes two.
  rows.push_back(measure("adam", {.bytes = 7.0 * sizeof(Real) * kElements}, [&] {
    kernels::adam<Real>(update, {mean, square}, {});
  }));
  rows.push_back(measure("sgd_momentum", {.bytes = 5.0 * sizeof(Real) * kElements},
                         [&] { kernels::sgd<Real>(update, mean, {.momentum = 0.9}); }));
  return rows;
}

const ListedBenchmark kMaps({"maps", "exp, tanh, sigmoid, erf, gelu out of cache", maps});
const ListedBenchmark kRows({"rows", "softmax and norms out of cache", row_kernels});
const ListedBenchmark kOptimisers({"optimisers", "Adam and SGD out of cache", optimiser_steps});

}  // namespace
}  // namespace heed::cli
