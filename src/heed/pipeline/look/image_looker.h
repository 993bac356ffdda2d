// SPDX-License-Identifier: Apache-2.0
// A trained classifier of images in use: an image in, chances of the classes and the weights of its
// cells out.
//
//   const ImageLooker looker("digits");
//   looker.look(images::read_image("seven.png"));  // .chances, .weights
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/draw/overlay.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/metrics/regions.h"
#include "heed/pipeline/look/look_options.h"
#include "heed/pipeline/model.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What a model made of an image.
struct ImageLook {
  images::Image image{};          // as the model saw it
  std::vector<double> chances{};  // of each class
  int best = 0;                   // the likeliest of them
  Tensor weights{};  // [rows,columns] of cells: of the pooling, or of the class token in the last
                     // layer, its heads' mean; not defined where it has none
  std::vector<insight::PlaneDensity> densities{};  // of the pooling, where it is continuous
};

// With what every layer and head of patches looked at.
struct ImageLayers {
  ImageLook look{};
  std::vector<Tensor> layers{};  // [H,T,T] each, the class token first
  Tensor rollout{};              // [rows,columns]: the token's row through all layers
};

struct LookQuality {
  std::int64_t images = 0;
  std::int64_t wrong = 0;
  double loss = 0;                 // in all
  metrics::RegionScore regions{};  // of weights in the box of the image
  // Of patches, by layer and head: how far, in cells, a query looks on the mean.
  std::vector<std::vector<double>> distances{};

  double error() const;
};

class ImageLooker final : public Model {
 public:
  // A folder that `heed train look` wrote. DataError for one that is damaged or of another kind.
  explicit ImageLooker(const std::filesystem::path& folder);

  const LearntImages& learnt() const { return learnt_; }
  const LookOptions& options() const { return options_; }
  models::ImageGridShape grid() const { return model_->encoder().grid(); }
  bool looks() const { return model_->looks(); }
  bool has_layers() const { return model_->encoder().has_token(); }

  // An image of any size is fitted into what the model sees. DataError that opens with `where` for
  // one in which there is nothing to see.
  ImageLook look(const images::Image& image, const std::string& where = "image") const;
  std::vector<ImageLook> look(std::span<const images::Image> images) const;
  // UsageError for a model without layers of patches.
  ImageLayers look_through(const images::Image& image, const std::string& where = "image") const;
  // Strips "class" and "image", or "patches", whose tokens are cells, with the image beside them.
  insight::TracedExample traced(const images::Image& image,
                                const std::string& where = "image") const;
  // What explainers may ask of an image, by the cells of its grid. UsageError for a target that is
  // no class.
  Explained explained(const images::Image& image, const ExplainedTarget& target = {},
                      const std::string& where = "image") const;
  // How well it tells these apart, and how much of its weights lies in their boxes.
  LookQuality quality(std::span<const corpora::Canvas> canvases) const;

  // As of every model; an input is an image file in base64, as that of a request; answers are
  // classes with their chances.
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  Explained explained(const Input& input, const ExplainedTarget& target = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  images::Image in_form(const images::Image& image, const std::string& where) const;

  LookOptions options_;
  LearntImages learnt_;
  std::shared_ptr<models::ImageClassifier> model_;
};

// The file that base64 text holds. UsageError, which opens with `where`, for what is no base64 or
// no image that can be read.
images::Image image_of_base64(std::string_view text, const std::string& where);

// "2,3": row and column, from 1 on.
std::string cell_name(std::int64_t cell, const models::ImageGridShape& grid);

// One view of each look, gold boxes if there are any, and chances where they are few enough to
// show.
insight::OverlayScene look_scene(const ImageLooker& looker, std::span<const ImageLook> looks);
// A view for each explainer's shares, named by how it is written; each to its own range.
struct ImageShares {
  std::string method{};
  std::vector<double> shares{};  // [cells]; empty: not drawn
};
insight::OverlayScene shares_scene(const ImageLooker& looker, const ImageLook& look,
                                   std::span<const ImageShares> all);
// A view for each layer and head of the class token, and the rollout.
insight::OverlayScene layers_scene(const ImageLooker& looker, const ImageLayers& layers);

}  // namespace heed::pipeline

#pragma GCC visibility pop
