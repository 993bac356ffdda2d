// SPDX-License-Identifier: Apache-2.0
// A picture of a memory at work: the state after each step with its energy, what was stored, and
// below them the weight of every pattern in every step.
//
//   write_atomically("recall.svg", insight::recall_svg({.columns = 8, .states = ..., ...}));
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/insight/draw/picture_frame.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

struct RecallScene {
  std::int64_t columns = 0;                    // of each picture
  std::vector<std::vector<double>> states{};   // from the query on, ink above 0
  std::vector<double> energies{};              // of each
  std::vector<std::vector<double>> weights{};  // of each state, one for each pattern
  std::vector<std::string> names{};            // of the patterns
  std::vector<double> known{};                 // what should come back; empty: unknown
  std::string title{};
  std::string subtitle{};
};

// Patterns beyond the heaviest forty are left out. UsageError for a scene without a state, or
// whose sizes do not fit each other.
std::string recall_svg(const RecallScene& scene, const PictureStyle& style = {});
std::string recall_png(const RecallScene& scene, const PictureStyle& style = {}, double scale = 2);

}  // namespace heed::insight

#pragma GCC visibility pop
