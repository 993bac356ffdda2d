// SPDX-License-Identifier: Apache-2.0
// Average precision: how far scores put what is relevant before what is not, the area under the
// curve of precision over recall.
#pragma once  // public header

#include <optional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::metrics {

// The sum over scores, from the highest, of the precision of all that reach one times the share of
// what is relevant that has it; equal scores are taken together, so that their order does not
// matter. 1 at best; of scores that are all equal the share that is relevant. Nothing where nothing
// is relevant. UsageError for sides of different lengths, and for NaN.
std::optional<double> average_precision(std::span<const double> scores,
                                        const std::vector<bool>& relevant);

}  // namespace heed::metrics

#pragma GCC visibility pop
