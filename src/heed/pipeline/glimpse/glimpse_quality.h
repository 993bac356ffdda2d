// SPDX-License-Identifier: Apache-2.0
// How well a network that looks in glimpses does on canvases, and how its policy fares.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/corpora/canvases/canvases.h"
#include "heed/models/glimpse_network.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct GlimpseEpisodes {
  int episodes = 1;        // whose chances are averaged
  bool draw = false;       // whether places are drawn from the policy; otherwise they are its means
  bool random = false;     // instead: uniform ones, whatever the policy
  std::uint64_t seed = 1;  // of first places and draws
};

struct GlimpseQuality {
  std::int64_t canvases = 0;
  std::int64_t wrong = 0;    // canvases with a class that is not right
  std::int64_t targets = 0;  // classes
  std::int64_t wrong_targets = 0;
  double loss = 0;               // sum of -log p of the classes
  std::vector<double> in_box{};  // by glimpse: how many of its centres lie in a gold box
  std::vector<double> wrongs{}, pointings{};  // by canvas: 0 or 1; share of centres in a box
  double box_share = 0;                       // mean its boxes are, what chance gives

  double error() const;
  double mean_loss() const;
  // Share of centres in a gold box, of all glimpses from this one on.
  double pointing(std::size_t from = 0) const;
};

// Of canvases with as many classes as the network writes. Batch after batch of one size, so that
// the same seed gives the same places.
GlimpseQuality glimpse_quality(const models::GlimpseNetwork& network,
                               std::span<const corpora::Canvas> canvases,
                               const GlimpseEpisodes& episodes = {});

// Where a policy looks: what shows that it has collapsed.
struct PlaceReport {
  double mean_size = 0;  // mean |mu| of a coordinate
  double spread = 0;     // deviation of mu over the canvases, mean over steps and coordinates
  double held = 0;       // share of drawn coordinates beyond [-1,1]

  // "mean |mu| 0.31, spread 0.22, 2% of draws beyond the edge"
  std::string text() const;
  // What is wrong with it and what to change; empty: nothing.
  std::string warning() const;
};
PlaceReport place_report(const models::GlimpseNetwork& network,
                         std::span<const corpora::Canvas> canvases, std::uint64_t seed);

}  // namespace heed::pipeline

#pragma GCC visibility pop
