// SPDX-License-Identifier: Apache-2.0
// What is explained of an image that a model has looked at.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/look/explained_image.h"
#include "heed/pipeline/look/image_looker.h"

namespace heed::pipeline {

Explained ImageLooker::explained(const images::Image& image, const ExplainedTarget& target,
                                 const std::string& where) const {
  if (!target.aspect.empty()) {
    throw UsageError("--aspect {}: classifiers of images have one answer; leave it out",
                     target.aspect);
  }
  ImageLook look = this->look(image, where);
  const std::vector<std::string>& names = learnt_.names;
  std::size_t label = static_cast<std::size_t>(look.best);
  if (!target.label.empty()) {
    const auto found = std::ranges::find(names, target.label);
    if (found == names.end()) {
      throw UsageError("--target {}: no such class{}; the model has {}", target.label,
                       did_you_mean(target.label, names), join(names, ", "));
    }
    label = static_cast<std::size_t>(found - names.begin());
  }
  ExplainedImage::Parts parts{
      .model = model_, .image = std::move(look.image), .label = static_cast<std::int64_t>(label)};
  if (look.weights.defined()) {
    const std::vector<Real> weights = look.weights.values();
    parts.attention.assign(weights.begin(), weights.end());
  }
  std::vector<std::string> cells;
  for (std::int64_t i = 0; i < grid().cells(); ++i) cells.push_back(cell_name(i, grid()));
  return {.subject = std::make_unique<ExplainedImage>(std::move(parts)),
          .words = std::move(cells),
          .target = names[label],
          .probability = look.chances[label]};
}

Explained ImageLooker::explained(const Input& input, const ExplainedTarget& target) const {
  try {
    return explained(image_of_base64(input.text, "image"), target);
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

insight::OverlayScene shares_scene(const ImageLooker& looker, const ImageLook& look,
                                   std::span<const ImageShares> all) {
  const models::ImageGridShape grid = looker.grid();
  insight::OverlayScene scene{.image = look.image, .largest = 1};
  for (const ImageShares& one : all) {
    if (one.shares.empty()) continue;
    double largest = 0;
    for (const double share : one.shares) largest = std::max(largest, std::abs(share));
    Tensor weights = Tensor::zeros({grid.rows, grid.columns});
    for (std::size_t i = 0; i < one.shares.size() && largest > 0; ++i) {
      weights.mutable_data()[i] = static_cast<Real>(one.shares[i] / largest);
    }
    scene.views.push_back({.label = one.method, .weights = std::move(weights)});
  }
  return scene;
}

}  // namespace heed::pipeline
