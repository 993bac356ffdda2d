// SPDX-License-Identifier: Apache-2.0
// A model folder in use.
#include "heed/pipeline/look/image_looker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/insight/trace/rollout.h"
#include "heed/pipeline/look/image_batches.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

using attention::share_of;

constexpr std::size_t kLookedAtTogether = 64;

// The weights of row `batch` over cells: of the pooling, or of the class token in the last layer.
Tensor cell_weights(const attention::Trace& trace, std::int64_t batch,
                    const models::ImageGridShape& grid) {
  const attention::Trace::Entry& last = trace.entries().back();
  Tensor cells({grid.rows, grid.columns});
  const std::int64_t heads = last.weights.size(1);
  const std::int64_t first = last.weights.size(3) - grid.cells();  // behind the class token
  for (std::int64_t i = 0; i < grid.cells(); ++i) {
    Real sum = 0;
    for (std::int64_t h = 0; h < heads; ++h) {
      sum += share_of(last.weights.at({batch, h, 0, first + i}));
    }
    cells.mutable_data()[i] = sum / static_cast<Real>(heads);
  }
  return cells;
}

ImageLook image_look(const images::Image& image, const Tensor& logits, std::int64_t row) {
  ImageLook look{.image = image};
  const std::int64_t classes = logits.size(1);
  double most = logits.at({row, 0}), sum = 0;
  for (std::int64_t c = 1; c < classes; ++c) {
    if (static_cast<double>(logits.at({row, c})) > most) {
      most = static_cast<double>(logits.at({row, c}));
      look.best = static_cast<int>(c);
    }
  }
  for (std::int64_t c = 0; c < classes; ++c) {
    look.chances.push_back(std::exp(static_cast<double>(logits.at({row, c})) - most));
    sum += look.chances.back();
  }
  for (double& chance : look.chances) chance /= sum;
  return look;
}

}  // namespace

std::string cell_name(std::int64_t cell, const models::ImageGridShape& grid) {
  return fmt::format("{},{}", cell / grid.columns + 1, cell % grid.columns + 1);
}

double LookQuality::error() const {
  return images > 0 ? static_cast<double>(wrong) / static_cast<double>(images) : 0;
}

ImageLooker::ImageLooker(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("look");
  folder.read_config(options_.list);
  learnt_ = LearntImages::read(folder.file(kLearntImagesFile));
  Random random(0);
  model_ = folder.made([&] {
    return std::make_shared<models::ImageClassifier>(options_.model_for(learnt_), random);
  });
  nn::Parameters parameters = nn::parameters(*model_);
  folder.load_weights(parameters);
}

images::Image ImageLooker::in_form(const images::Image& image, const std::string& where) const {
  return images::in_form(image, learnt_.form, where);
}

std::vector<ImageLook> ImageLooker::look(std::span<const images::Image> all) const {
  std::vector<ImageLook> found;
  for (std::size_t begin = 0; begin < all.size(); begin += kLookedAtTogether) {
    const auto part = all.subspan(begin, std::min(kLookedAtTogether, all.size() - begin));
    std::vector<images::Image> fitted;
    for (const images::Image& image : part) fitted.push_back(in_form(image, "image"));
    const NoGradient none;
    attention::Trace trace;
    const Tensor logits =
        (*model_)(models::image_tensors(fitted), {.watch = looks() ? &trace : nullptr}).value();
    for (std::size_t i = 0; i < fitted.size(); ++i) {
      ImageLook look = image_look(fitted[i], logits, static_cast<std::int64_t>(i));
      if (looks()) {
        const auto row = static_cast<std::int64_t>(i);
        look.weights = cell_weights(trace, row, grid());
        look.densities = insight::densities_of(trace.entries().back().densities, row, 0);
      }
      found.push_back(std::move(look));
    }
  }
  return found;
}

ImageLook ImageLooker::look(const images::Image& image, const std::string& where) const {
  const images::Image fitted = in_form(image, where);
  return std::move(look(std::span(&fitted, 1)).front());
}

ImageLayers ImageLooker::look_through(const images::Image& image, const std::string& where) const {
  if (!has_layers()) {
    throw UsageError(
        "this model reads images by convolutions, which have no layers of attention; "
        "train one with --reading patches");
  }
  const images::Image fitted = in_form(image, where);
  const NoGradient none;
  attention::Trace trace;
  const Tensor logits =
      (*model_)(models::image_tensors(std::span(&fitted, 1)), {.watch = &trace}).value();
  ImageLayers found{.look = image_look(fitted, logits, 0)};
  found.look.weights = cell_weights(trace, 0, grid());
  for (const attention::Trace::Entry& entry : trace.entries()) {
    if (entry.site.role == attention::Role::self)
      found.layers.push_back(entry.weights.select(0, 0));
  }
  const Tensor all = insight::attention_rollout(found.layers);
  found.rollout = Tensor({grid().rows, grid().columns});
  for (std::int64_t i = 0; i < grid().cells(); ++i) {
    found.rollout.mutable_data()[i] = all.at({0, i + 1});
  }
  return found;
}

insight::TracedExample ImageLooker::traced(const images::Image& image,
                                           const std::string& where) const {
  const images::Image fitted = in_form(image, where);
  std::vector<std::string> cells;
  for (std::int64_t i = 0; i < grid().cells(); ++i) cells.push_back(cell_name(i, grid()));
  insight::TracedExample example;
  const auto grid_of = [&](const std::string& strip) {
    return insight::ImageGrid{.strip = strip,
                              .rows = static_cast<int>(grid().rows),
                              .columns = static_cast<int>(grid().columns),
                              .png = images::png_bytes(fitted)};
  };
  const NoGradient none;
  attention::Trace trace;
  const Tensor logits =
      (*model_)(models::image_tensors(std::span(&fitted, 1)), {.watch = looks() ? &trace : nullptr})
          .value();
  const ImageLook look = image_look(fitted, logits, 0);
  const std::string answer = learnt_.names[static_cast<std::size_t>(look.best)];
  example.title = answer;
  example.strips.push_back({.name = "image", .tokens = cells});
  example.image = grid_of("image");
  for (const attention::Trace::Entry& entry : trace.entries()) {
    const auto layer = entry.site.layer;
    if (entry.site.role == attention::Role::pooling) {
      example.strips.push_back({.name = "class", .tokens = {answer}});
      example.attentions.push_back({.kind = "pooling",
                                    .queries = "class",
                                    .keys = "image",
                                    .heads = {{0, 0, entry.weights.select(0, 0).select(0, 0)}}});
      continue;
    }
    // Of patches: the class token's row over the image, and all rows over each other.
    if (layer == 0) {
      example.strips.push_back({.name = "class", .tokens = {answer}});
      std::vector<std::string> patches{"class"};
      patches.insert(patches.end(), cells.begin(), cells.end());
      example.strips.push_back({.name = "patches", .tokens = std::move(patches)});
      example.attentions.push_back({.kind = "class token", .queries = "class", .keys = "image"});
      example.attentions.push_back(
          {.kind = "patches self", .queries = "patches", .keys = "patches"});
    }
    const Tensor weights = entry.weights.select(0, 0);  // [H,T,T]
    for (std::int64_t h = 0; h < weights.size(0); ++h) {
      const Tensor head = weights.select(0, h);
      example.attentions[example.attentions.size() - 2].heads.push_back(
          {layer, static_cast<int>(h), head.slice(0, 0, 1).slice(1, 1, head.size(1)).packed()});
      example.attentions.back().heads.push_back({layer, static_cast<int>(h), head.packed()});
    }
  }
  return example;
}

LookQuality ImageLooker::quality(std::span<const corpora::Canvas> canvases) const {
  LookQuality quality;
  for (std::size_t begin = 0; begin < canvases.size(); begin += kLookedAtTogether) {
    const auto part = canvases.subspan(begin, std::min(kLookedAtTogether, canvases.size() - begin));
    std::vector<images::Image> all;
    for (const corpora::Canvas& canvas : part) all.push_back(canvas.image);
    const std::vector<ImageLook> found = look(all);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const int label = part[i].labels.front();
      ++quality.images;
      quality.wrong += found[i].best != label ? 1 : 0;
      quality.loss -= std::log(std::max(1e-30, found[i].chances[static_cast<std::size_t>(label)]));
      if (!looks()) continue;
      metrics::GoldMask mask = metrics::GoldMask::empty(part[i].image.height, part[i].image.width);
      const images::Box& box = part[i].boxes.front();
      mask.add_box(box.left, box.top, box.right, box.bottom);
      const Tensor& weights = found[i].weights;
      quality.regions.add(std::vector<float>(weights.data(), weights.data() + weights.size()),
                          metrics::GoldCells::of(mask, grid().rows, grid().columns));
    }
  }
  if (!has_layers()) return quality;
  constexpr std::size_t kMeasured = 32;
  const std::size_t count = std::min(kMeasured, canvases.size());
  for (std::size_t i = 0; i < count; ++i) {
    const ImageLayers through = look_through(canvases[i].image);
    quality.distances.resize(through.layers.size());
    for (std::size_t layer = 0; layer < through.layers.size(); ++layer) {
      std::vector<double>& row = quality.distances[layer];
      row.resize(static_cast<std::size_t>(through.layers[layer].size(0)), 0);
      for (std::size_t h = 0; h < row.size(); ++h) {
        row[h] +=
            insight::mean_distance(through.layers[layer].select(0, static_cast<std::int64_t>(h)),
                                   {.columns = grid().columns, .tokens = 1}) /
            static_cast<double>(count);
      }
    }
  }
  return quality;
}

insight::OverlayScene look_scene(const ImageLooker& looker, std::span<const ImageLook> looks) {
  constexpr std::size_t kMostClasses = 12;
  insight::OverlayScene scene{.image = looks.front().image};
  const std::vector<std::string>& names = looker.learnt().names;
  if (names.size() <= kMostClasses) scene.classes = names;
  for (const ImageLook& look : looks) {
    insight::OverlayView view{.label = names[static_cast<std::size_t>(look.best)],
                              .image = look.image,
                              .weights = look.weights,
                              .densities = look.densities};
    if (!scene.classes.empty()) view.chances = look.chances;
    scene.views.push_back(std::move(view));
  }
  return scene;
}

insight::OverlayScene layers_scene(const ImageLooker& looker, const ImageLayers& layers) {
  const models::ImageGridShape grid = looker.grid();
  insight::OverlayScene scene{.image = layers.look.image};
  const auto views = [&](const Tensor& layer, std::size_t number) {
    for (std::int64_t h = 0; h < layer.size(0); ++h) {
      Tensor cells({grid.rows, grid.columns});
      for (std::int64_t i = 0; i < grid.cells(); ++i) {
        cells.mutable_data()[i] = share_of(layer.at({h, 0, i + 1}));
      }
      scene.views.push_back({.label = fmt::format("layer {}, head {}", number + 1, h + 1),
                             .weights = std::move(cells)});
    }
  };
  for (std::size_t i = 0; i < layers.layers.size(); ++i) views(layers.layers[i], i);
  scene.columns = static_cast<int>(layers.layers.front().size(0));
  scene.views.push_back({.label = "rollout", .weights = layers.rollout});
  return scene;
}

}  // namespace heed::pipeline
