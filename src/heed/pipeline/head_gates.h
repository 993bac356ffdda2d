// SPDX-License-Identifier: Apache-2.0
// Heads behind gates: what a model loses when some are closed, and gates that are learnt so that
// few stay open (Voita 2019, section 6).
//
// The gate of head h is z = clip(-.1 + 1.2 sigmoid((s_h + log u - log(1 - u)) / .33), 0, 1), u
// uniform (Louizos 2018); what is lost is the loss of a unit + penalty * mean_h P(z_h > 0). The
// model itself stays as it is.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/insight/observe/interventions.h"
#include "heed/pipeline/watched.h"

namespace heed::pipeline {

struct HeadSite {
  attention::Site site{};
  std::int64_t heads = 0;
};

struct HeadCost {
  double loss = 0;   // of a unit
  double right = 0;  // share of units
  double units = 0;
};

// Of the model under an observer. `done` is told of the examples of each batch.
HeadCost cost_of(const Watched& data, const std::vector<std::vector<std::size_t>>& batches,
                 attention::Observer* watch,
                 const std::function<void(std::size_t examples)>& done = {});

// Of all heads, site by site: 1 for those that are open.
std::vector<insight::HeadFactors::Entry> factors_of(std::span<const HeadSite> sites,
                                                    const std::vector<bool>& open);

struct GateOptions {
  double penalty = .1;
  std::int64_t steps = 150;
  double rate = .1;
  std::uint64_t seed = 1;
};

struct HeadGate {
  double score = 0;
  double chance_open = 0;  // that it is not 0
  bool open = false;       // without noise
};

// Gates of all heads, site by site, learnt on these examples.
std::vector<HeadGate> learn_gates(const Watched& data, std::span<const HeadSite> sites,
                                  std::span<const std::size_t> examples, const GateOptions& options,
                                  const std::function<void()>& done = {});

}  // namespace heed::pipeline
