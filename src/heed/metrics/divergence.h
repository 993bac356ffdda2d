// SPDX-License-Identifier: Apache-2.0
// How far two distributions over the same things are apart.
#pragma once  // public header

#include <span>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// All in nats. UsageError for distributions of different sizes, of nothing, and for a share that is
// negative or NaN; they need not sum to exactly 1.

// Jensen-Shannon: the mean of the divergences of both from their mean; from 0 to ln 2.
double jensen_shannon(std::span<const double> p, std::span<const double> q);
// Half the sum of the differences: from 0 to 1.
double total_variation(std::span<const double> p, std::span<const double> q);
// -sum of p ln p.
double entropy(std::span<const double> p);

}  // namespace heed::metrics

#pragma GCC visibility pop
