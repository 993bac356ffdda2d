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

// 1 where the likeliest output is the target, 0 elsewhere. [B]
Tensor rights(const Tensor& logits, const Ids& targets) {
  Tensor one({logits.size(0)});
  for (std::int64_t b = 0; b < logits.size(0); ++b) {
    std::int64_t best = 0;
    for (std::int64_t c = 1; c < logits.size(1); ++c) {
      if (logits.at({b, c}) > logits.at({b, best})) best = c;
    }
    one.mutable_data()[b] = best == targets.at({b}) ? 1 : 0;
  }
  return one;
}

// Of chances [B,outputs], those of the targets. [B]
Tensor chances_of(const Tensor& chances, const Ids& targets) {
  Tensor one({chances.size(0)});
  for (std::int64_t b = 0; b < chances.size(0); ++b) {
    one.mutable_data()[b] = chances.at({b, targets.at({b})});
  }
  return one;
}

}  // namespace

std::vector<Tensor> glimpse_rewards(const models::GlimpseNetworkOptions& options,
                                    const models::GlimpseRun& run, const Ids& labels,
                                    models::GlimpseReward reward) {
  const std::int64_t written = options.written();
  std::vector<Tensor> earned;  // by each class, [B]
  for (std::int64_t u = 0; u < written; ++u) {
    const Variable& logits = run.logits[static_cast<std::size_t>(u)];
    const Ids targets = targets_of(options, labels, u);
    earned.push_back(reward == models::GlimpseReward::right
                         ? rights(logits.value(), targets)
                         : chances_of(softmax(stop_gradient(logits)).value(), targets));
  }
  std::vector<Tensor> rewards;
  for (std::size_t i = 0; i < run.means.size(); ++i) {
    const std::int64_t first =
        (options.first_learnt() + static_cast<std::int64_t>(i)) / options.glimpses;
    Tensor all = Tensor::zeros({labels.size(0)});
    for (std::int64_t u = first; u < written; ++u) {
      all = all + earned[static_cast<std::size_t>(u)];
    }
    if (reward == models::GlimpseReward::gain) {
      all = all - chances_of(run.so_far[i], targets_of(options, labels, first));
    }
    rewards.push_back(all * (Real(1) / static_cast<Real>(written - first)));
  }
  return rewards;
}

Variable glimpse_loss(const models::GlimpseNetworkOptions& options, const models::GlimpseRun& run,
                      const Ids& labels, const GlimpsePolicyLoss& policy) {
  Variable loss;
  for (std::int64_t u = 0; u < options.written(); ++u) {
    const Variable part =
        cross_entropy(run.logits[static_cast<std::size_t>(u)], targets_of(options, labels, u),
                      {.reduction = Reduction::sum});
    loss = loss.defined() ? loss + part : part;
  }
  if (run.means.empty()) return loss;
  const std::vector<Tensor> rewards = glimpse_rewards(options, run, labels, policy.reward);
  return loss + baseline_loss(run, rewards) +
         policy_loss(run, rewards, options.deviation) * static_cast<Real>(policy.reinforce);
}

}  // namespace heed::pipeline
