// SPDX-License-Identifier: Apache-2.0
// Ways to learn hard attention, measured on one small problem whose exact gradient is known: how
// far the mean of each lies from it, how much one estimate varies, and how many losses it needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed::cli {

struct EstimatorOptions {
  std::int64_t draws = 1000000;  // of the estimators that cannot be enumerated
  std::uint64_t seed = 1;
};

struct Estimator {
  std::string name{};
  std::vector<double> mean{};  // of the estimates, key by key
  double bias = 0;             // |mean - exact| / |exact|
  double error = 0;            // of the bias, by chance; 0: all draws were enumerated
  double cosine = 0;           // of the mean and the exact gradient
  double variance = 0;         // the trace of the covariance of one estimate
  int losses = 1;              // that one estimate needs
};

// Every estimator on the problem of tests/golden/structured.json. UsageError for fewer than 2
// draws.
std::vector<Estimator> measure_estimators(const EstimatorOptions& options = {});

// Their bias, cosine and variance as bars.
std::string estimators_svg(std::span<const Estimator> estimators);

}  // namespace heed::cli
