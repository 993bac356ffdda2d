// SPDX-License-Identifier: Apache-2.0
// LearntCurves: what heads learn that has a name, such as spans and alphas, followed through a
// training: a line for each head in `heads.svg`, the numbers in `heads.tsv`.
#pragma once

#include <filesystem>
#include <string>

#include "heed/base/options.h"
#include "heed/insight/describe/description.h"
#include "heed/nn/module.h"
#include "heed/pipeline/model_folder.h"
#include "heed/training/curve.h"

namespace heed::pipeline {

class LearntCurves {
 public:
  // Of the model that these parameters are of; they must outlive this.
  LearntCurves(const ModelFolder& folder, const Options& options, const std::string& task,
               const nn::Parameters& parameters);

  // Adds the numbers of now, at the last update of the training's own curve, to those in the folder
  // and draws them; nothing for a model that has none.
  void draw(const training::Curve& curve);

 private:
  std::filesystem::path numbers() const { return folder_.path / "heads.tsv"; }

  ModelFolder folder_;
  const nn::Parameters& parameters_;
  insight::ModelFacts facts_;
};

}  // namespace heed::pipeline
