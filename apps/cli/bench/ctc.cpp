// SPDX-License-Identifier: Apache-2.0
// CTC: the loss of a batch and the gradient of its logits.
#include "heed/autograd/ctc.h"
#include <algorithm>

#include "cli/bench/harness.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kSequences = 32, kFrames = 200, kLabels = 40, kSymbols = 64;

std::vector<BenchRow> ctc_rows() {
  Random random(1);
  Tensor values({kSequences, kFrames, kSymbols});
  fill_normal(std::span(values.mutable_data(), static_cast<std::size_t>(values.size())), random);
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < kSequences * kLabels; ++i) {
    labels.push_back(1 + static_cast<std::int32_t>(random.integer(kSymbols - 1)));
  }
  const CtcTargets targets{.labels = Ids::of({kSequences, kLabels}, labels),
                           .lengths = Ids::full({kSequences}, kLabels)};
  Variable logits = Variable::leaf(values);
  // Of each place of each frame: three terms, forward and backward, and the posterior.
  const double flops = 12.0 * kSequences * kFrames * (2 * kLabels + 1);
  std::vector<BenchRow> rows;
  const int most = threads();
  for (int count = 1; count <= most; count += std::max(1, most - 1)) {
    const ThreadScope scope(count);
    rows.push_back(measure("ctc_t200_u40_b32", {.flops = flops}, [&] {
      backward(ctc_loss(logits, targets));
      logits.clear_gradient();
    }));
  }
  return rows;
}

const ListedBenchmark kListed({"ctc", "loss and gradient of 32 sequences of 200 frames", ctc_rows});

}  // namespace
}  // namespace heed::cli
