// SPDX-License-Identifier: Apache-2.0
// What a network that looks at an image in glimpses is made of.
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/autograd/glimpse.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// feedforward: h = ReLU(U h + V g) (Mnih 2014); lstm: an LSTM in its place; stacked: two LSTMs, the
// lower for the class, the upper, which begins with a glance at the whole image, for the places
// (Ba 2015).
enum class GlimpseCore { feedforward, lstm, stacked };
// learnt: places of a Gaussian whose mean the network gives, learnt by REINFORCE; random: uniform
// ones, the control; draw: the differentiable read of DRAW (Gregor 2015), learnt by its gradient.
enum class GlimpsePolicy { learnt, random, draw };
// What a place is rewarded by, once all is seen. right: 1 if the class is right, 0 if not; chance:
// the chance the network gives to it, which is right's expectation when a class is drawn; gain:
// that less the chance before the place was chosen, which no choice can change.
enum class GlimpseReward { right, chance, gain };
// In the order of the enumerators.
const std::vector<std::string>& glimpse_core_names();
const std::vector<std::string>& glimpse_policy_names();
const std::vector<std::string>& glimpse_reward_names();

struct GlimpseNetworkOptions {
  std::int64_t height = 28, width = 28, channels = 1;  // of images
  std::int64_t classes = 10;
  std::int64_t targets = 1;   // classes in an image; of several, an end is written after the last
  std::int64_t glimpses = 6;  // for each target, the end included
  GlimpseOptions sensor{};    // draw: filters along each axis are its size
  GlimpseCore core = GlimpseCore::feedforward;
  GlimpsePolicy policy = GlimpsePolicy::learnt;
  double deviation = .05;              // of places around their mean
  std::int64_t part = 128;             // width of what is made of a patch, and of its place
  std::int64_t hidden = 256;           // of the glimpse vector and of the core
  std::int64_t place_hidden = 128;     // of the layer between the core and the mean
  std::int64_t context_channels = 16;  // stacked: of the glance's first convolution

  std::int64_t written() const { return targets > 1 ? targets + 1 : 1; }  // with the end
  std::int64_t outputs() const { return targets > 1 ? classes + 1 : classes; }
  std::int64_t steps() const { return glimpses * written(); }
  // Places that a policy is to learn: the first of a network without a glance is left to chance.
  std::int64_t first_learnt() const { return core == GlimpseCore::stacked ? 0 : 1; }
};

}  // namespace heed::models

#pragma GCC visibility pop
