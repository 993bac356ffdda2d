// SPDX-License-Identifier: Apache-2.0
// The one-sided paired t-test (Student 1908): whether one of two, measured on the same samples, has
// the lower mean.
#pragma once

#include <span>

namespace heed::metrics {

struct PairedTTest {
  double difference = 0;  // mean of first - second
  double t = 0;           // that, in units of its own deviation
  double p = 1;           // of so small a t, were the means equal
};

// Whether `first` is lower than `second`: p is small where it is. UsageError for samples of
// different numbers, or fewer than two.
PairedTTest paired_t_test(std::span<const double> first, std::span<const double> second);

// The probability that Student's t with so many degrees of freedom is at most t.
double student_t(double t, double degrees);

}  // namespace heed::metrics
