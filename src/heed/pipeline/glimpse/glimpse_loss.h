// SPDX-License-Identifier: Apache-2.0
// What a network that looks in glimpses learns from: the classes, and the rewards of its places.
#pragma once

#include <vector>

#include "heed/models/glimpse_network.h"

namespace heed::pipeline {

// labels [B,targets] -> for each place that is learnt, [B]: the share of the classes still to be
// written after it that were right, the end included.
std::vector<Tensor> glimpse_rewards(const models::GlimpseNetworkOptions& options,
                                    const models::GlimpseRun& run, const Ids& labels);

// -log p(classes) + baseline's loss + c * policy's loss, summed over the batch.
Variable glimpse_loss(const models::GlimpseNetworkOptions& options, const models::GlimpseRun& run,
                      const Ids& labels, double reinforce);

}  // namespace heed::pipeline
