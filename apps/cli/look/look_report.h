// SPDX-License-Identifier: Apache-2.0
// What `heed look` prints: the likeliest classes of images, and how good a model is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/explain/explainer.h"
#include "heed/pipeline/look/image_looker.h"

namespace heed::cli {

struct ImageExplanation {
  std::string method{};
  explain::Explanation found{};
};

struct NamedLook {
  std::string name{};
  pipeline::ImageLook look{};
  std::string target{};  // the class that is explained
  std::vector<ImageExplanation> explanations{};
};

std::string looks_text(const pipeline::ImageLooker& looker, std::span<const NamedLook> looks);
std::string looks_json(const pipeline::ImageLooker& looker, std::span<const NamedLook> looks);

// With `regions`, where weights lie as well.
std::string look_quality_text(const pipeline::ImageLooker& looker,
                              const pipeline::LookQuality& quality, bool regions);
std::string look_quality_json(const pipeline::ImageLooker& looker,
                              const pipeline::LookQuality& quality, bool regions);

}  // namespace heed::cli
