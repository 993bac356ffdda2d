// SPDX-License-Identifier: Apache-2.0
// Sums over rows and columns of one matrix.
#include "heed/insight/trace/attention_quality.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/trace.h"

namespace heed::insight {
namespace {

// Of shares of `total`; nothing has none.
double entropy_term(double part, double total) {
  if (part <= 0 || total <= 0) return 0;
  return -part / total * std::log(part / total);
}

}  // namespace

AttentionQuality attention_quality(const Tensor& weights) {
  const std::int64_t targets = weights.size(0), sources = weights.size(1);
  if (targets == 0 || sources == 0) return {};
  const Tensor packed = weights.packed();
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return static_cast<double>(attention::share_of(packed.data()[i * sources + j]));
  };
  std::vector<double> covered(static_cast<std::size_t>(sources), 0);
  AttentionQuality quality;
  for (std::int64_t i = 0; i < targets; ++i) {
    double total = 0;
    for (std::int64_t j = 0; j < sources; ++j) {
      covered[static_cast<std::size_t>(j)] += at(i, j);
      total += at(i, j);
    }
    for (std::int64_t j = 0; j < sources; ++j) {
      quality.target_dispersion -= entropy_term(at(i, j), total);
    }
  }
  for (std::int64_t j = 0; j < sources; ++j) {
    const double total = covered[static_cast<std::size_t>(j)];
    quality.coverage += std::min(1.0, total);
    quality.deviation -= std::log1p((1 - total) * (1 - total));
    for (std::int64_t i = 0; i < targets; ++i) {
      quality.source_dispersion -= entropy_term(at(i, j), total);
    }
  }
  quality.target_dispersion /= static_cast<double>(targets);
  for (double* mean : {&quality.coverage, &quality.deviation, &quality.source_dispersion}) {
    *mean /= static_cast<double>(sources);
  }
  return quality;
}

}  // namespace heed::insight
