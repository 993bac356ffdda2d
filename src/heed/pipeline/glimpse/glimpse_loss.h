// SPDX-License-Identifier: Apache-2.0
// What a network that looks in glimpses learns from: the classes, and the rewards of its places.
#pragma once

#include <vector>

#include "heed/models/glimpse_network.h"

namespace heed::pipeline {

// labels [B,targets] -> for each place that is learnt, [B]: the mean over the classes still to be
// written after it, the end included, of what they are rewarded by. `gain` takes run.so_far.
std::vector<Tensor> glimpse_rewards(const models::GlimpseNetworkOptions& options,
                                    const models::GlimpseRun& run, const Ids& labels,
                                    models::GlimpseReward reward = models::GlimpseReward::right);

struct GlimpsePolicyLoss {
  double reinforce = .01;  // c, its weight
  models::GlimpseReward reward = models::GlimpseReward::right;
};

// -log p(classes) + baseline's loss + c * policy's loss, summed over the batch.
Variable glimpse_loss(const models::GlimpseNetworkOptions& options, const models::GlimpseRun& run,
                      const Ids& labels, const GlimpsePolicyLoss& policy);

}  // namespace heed::pipeline
