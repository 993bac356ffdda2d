// SPDX-License-Identifier: Apache-2.0
// Cross-entropy, baseline and REINFORCE.
#include "heed/pipeline/glimpse/glimpse_loss.h"

namespace heed::pipeline {
namespace {

// Of target u [B]; behind the last class is the end, the number after all classes.
Ids targets_of(const models::GlimpseNetworkOptions& options, const Ids& labels, std::int64_t u) {
  const std::int64_t count = labels.size(0);
  if (u == labels.size(1)) return Ids::full({count}, static_cast<std::int32_t>(options.classes));
  return labels.select(1, u).packed();
}

}  // namespace

std::vector<Tensor> glimpse_rewards(const models::GlimpseNetworkOptions& options,
                                    const models::GlimpseRun& run, const Ids& labels) {
  const std::int64_t count = labels.size(0), written = options.written();
  // right[u] [B]
  std::vector<Tensor> right;
  for (std::int64_t u = 0; u < written; ++u) {
    const Tensor& logits = run.logits[static_cast<std::size_t>(u)].value();
    const Ids targets = targets_of(options, labels, u);
    Tensor one({count});
    for (std::int64_t b = 0; b < count; ++b) {
      std::int64_t best = 0;
      for (std::int64_t c = 1; c < logits.size(1); ++c) {
        if (logits.at({b, c}) > logits.at({b, best})) best = c;
      }
      one.mutable_data()[b] = best == targets.at({b}) ? 1 : 0;
    }
    right.push_back(one);
  }
  std::vector<Tensor> rewards;
  for (std::size_t i = 0; i < run.means.size(); ++i) {
    const std::int64_t first =
        (options.first_learnt() + static_cast<std::int64_t>(i)) / options.glimpses;
    Tensor reward = Tensor::zeros({count});
    for (std::int64_t u = first; u < written; ++u) {
      reward = reward + right[static_cast<std::size_t>(u)];
    }
    rewards.push_back(reward * (Real(1) / static_cast<Real>(written - first)));
  }
  return rewards;
}

Variable glimpse_loss(const models::GlimpseNetworkOptions& options, const models::GlimpseRun& run,
                      const Ids& labels, double reinforce) {
  Variable loss;
  for (std::int64_t u = 0; u < options.written(); ++u) {
    const Variable part =
        cross_entropy(run.logits[static_cast<std::size_t>(u)], targets_of(options, labels, u),
                      {.reduction = Reduction::sum});
    loss = loss.defined() ? loss + part : part;
  }
  if (run.means.empty()) return loss;
  const std::vector<Tensor> rewards = glimpse_rewards(options, run, labels);
  return loss + baseline_loss(run, rewards) +
         policy_loss(run, rewards, options.deviation) * static_cast<Real>(reinforce);
}

}  // namespace heed::pipeline
