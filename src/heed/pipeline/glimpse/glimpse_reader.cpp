// SPDX-License-Identifier: Apache-2.0
// A model folder in use, and what is drawn of a look.
#include "heed/pipeline/glimpse/glimpse_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/images/image_folder.h"
#include "heed/kernels/glimpse.h"
#include "heed/pipeline/glimpse/canvas_batches.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kMostRegions = 14;  // of a trace, along an axis

images::Box box_of(double x, double y, const images::Image& image, std::int64_t side) {
  const auto at = [&](double place, std::int64_t length) {
    return static_cast<std::int64_t>(kernels::glimpse_corner(
        place, static_cast<std::size_t>(length), static_cast<std::size_t>(side)));
  };
  const std::int64_t left = at(x, image.width), top = at(y, image.height);
  return {.left = left, .top = top, .right = left + side, .bottom = top + side};
}

// Patch `scale` of the only image of a batch [1,scales,size,size,C].
images::Image patch_of(const Tensor& patches, std::int64_t scale) {
  const Tensor one = patches.select(0, 0).select(0, scale).packed();
  images::Image image{.height = one.size(0), .width = one.size(1), .channels = one.size(2)};
  for (const Real value : one.span()) image.pixels.push_back(static_cast<float>(value));
  return image;
}

std::vector<double> row_of(const Tensor& chances) {
  const std::vector<Real> values = chances.values();
  return {values.begin(), values.end()};
}

}  // namespace

GlimpseReader::GlimpseReader(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("glimpse");
  folder.read_config(options_.list);
  learnt_ = LearntCanvases::read(folder.file(kLearntCanvasesFile));
  Random random(0);
  network_ = folder.made([&] {
    return std::make_shared<models::GlimpseNetwork>(options_.model_for(learnt_), random);
  });
  nn::Parameters parameters = nn::parameters(*network_);
  folder.load_weights(parameters);
}

std::string GlimpseReader::text(std::span<const int> classes) const {
  std::string text;
  for (const int one : classes) {
    text += (text.empty() ? "" : " ") + learnt_.names[static_cast<std::size_t>(one)];
  }
  return text;
}

images::Image GlimpseReader::fitted(const images::Image& image, const std::string& where) const {
  return images::in_form(
      image, {.height = learnt_.height, .width = learnt_.width, .channels = learnt_.channels},
      where);
}

GlimpsePath GlimpseReader::look(const images::Image& image, const GlimpseEpisodes& episodes) const {
  const models::GlimpseNetworkOptions& o = network_->options();
  if (image.height != o.height || image.width != o.width || image.channels != o.channels) {
    throw UsageError("an image of {}; the model looks at {} x {}, {} channel{}", image.size_text(),
                     o.width, o.height, o.channels, o.channels == 1 ? "" : "s");
  }
  const corpora::Canvas canvas{.image = image};
  Random random(episodes.seed);
  const models::GlimpseRun run =
      (*network_)(canvas_tensor(std::span(&canvas, 1)),
                  {.random = &random, .draw = episodes.draw, .keep = true});
  GlimpsePath path{.image = image, .probability = 1};
  for (std::size_t t = 0; t < run.places.size(); ++t) {
    GlimpsePath::Step step{.x = static_cast<double>(run.places[t].at({0, 0})),
                           .y = static_cast<double>(run.places[t].at({0, 1})),
                           .chances = row_of(run.chances[t])};
    std::int64_t side = o.sensor.size;
    if (!run.extents.empty()) {
      // Filters may span less than a pixel and more than any image.
      side = std::clamp<std::int64_t>(std::llround(run.extents[t].at({0})), 1,
                                      2 * std::max(o.height, o.width));
    }
    for (std::int64_t scale = 0; scale < run.patches[t].size(1); ++scale) {
      step.boxes.push_back(box_of(step.x, step.y, image, side));
      step.patches.push_back(patch_of(run.patches[t], scale));
      side *= o.sensor.factor;
    }
    path.steps.push_back(std::move(step));
  }
  for (const Variable& logits : run.logits) {
    const std::vector<double> chances = row_of(softmax(logits).value());
    const auto best = std::ranges::max_element(chances) - chances.begin();
    path.probability *= chances[static_cast<std::size_t>(best)];
    if (best == o.classes) break;  // the end
    path.classes.push_back(static_cast<int>(best));
    if (std::ssize(path.classes) == o.targets) break;
  }
  return path;
}

insight::OverlayScene GlimpseReader::scene(const GlimpsePath& path,
                                           std::span<const images::Box> gold) const {
  insight::OverlayScene scene{
      .image = path.image, .gold = {gold.begin(), gold.end()}, .classes = learnt_.names};
  if (network_->options().outputs() > network_->options().classes)
    scene.classes.emplace_back("end");
  const auto stop = [](const GlimpsePath::Step& step) {
    return insight::GlimpseStop{.x = (step.x + 1) / 2, .y = (step.y + 1) / 2};
  };
  insight::OverlayView whole{.label = "all glimpses"};
  for (const GlimpsePath::Step& step : path.steps) whole.path.push_back(stop(step));
  scene.views.push_back(whole);
  for (std::size_t t = 0; t < path.steps.size(); ++t) {
    insight::OverlayView view{.label = fmt::format("glimpse {}", t),
                              .patches = path.steps[t].patches,
                              .chances = path.steps[t].chances};
    view.path.assign(whole.path.begin(), whole.path.begin() + static_cast<std::ptrdiff_t>(t + 1));
    view.path.back().boxes = path.steps[t].boxes;
    scene.views.push_back(std::move(view));
  }
  scene.caption = "each glimpse, what it saw at every scale, and what was made of all so far";
  if (!gold.empty()) scene.caption += "; green: where the digits lie";
  return scene;
}

insight::TracedExample GlimpseReader::traced(const GlimpsePath& path,
                                             std::span<const images::Box> gold) const {
  const images::Image& image = path.image;
  const std::int64_t rows = std::min(kMostRegions, image.height);
  const std::int64_t columns = std::min(kMostRegions, image.width);
  insight::TracedExample example{.title = text(path.classes)};
  std::vector<std::string> regions, glimpses;
  for (std::int64_t r = 0; r < rows * columns; ++r) {
    regions.push_back(fmt::format("{},{}", r / columns + 1, r % columns + 1));
  }
  Tensor weights = Tensor::zeros({std::ssize(path.steps), rows * columns});
  Real* row = weights.mutable_data();
  for (const GlimpsePath::Step& step : path.steps) {
    glimpses.push_back(fmt::format("{}", glimpses.size()));
    const images::Box& box = step.boxes.front();
    double all = 0;
    for (std::int64_t r = 0; r < rows * columns; ++r) {
      // How long the box and the region lie side by side, along each axis.
      const auto shared = [](std::int64_t place, std::int64_t places, std::int64_t length,
                             std::int64_t begin, std::int64_t end) {
        const double from = static_cast<double>(place * length) / static_cast<double>(places);
        const double to = static_cast<double>((place + 1) * length) / static_cast<double>(places);
        return std::max(0., std::min(to, static_cast<double>(end)) -
                                std::max(from, static_cast<double>(begin)));
      };
      const double area = shared(r / columns, rows, image.height, box.top, box.bottom) *
                          shared(r % columns, columns, image.width, box.left, box.right);
      row[r] = static_cast<Real>(area);
      all += area;
    }
    for (std::int64_t r = 0; r < rows * columns && all > 0; ++r) {
      row[r] /= static_cast<Real>(all);
    }
    row += rows * columns;
  }
  example.strips = {{.name = "image", .tokens = std::move(regions)},
                    {.name = "glimpses", .tokens = std::move(glimpses)}};
  example.attentions.push_back({.kind = "glimpses",
                                .queries = "glimpses",
                                .keys = "image",
                                .stepwise = true,
                                .heads = {{0, 0, weights}}});
  example.image = insight::ImageGrid{.strip = "image",
                                     .rows = static_cast<int>(rows),
                                     .columns = static_cast<int>(columns),
                                     .png = images::png_bytes(image)};
  const auto share = [&](const images::Box& box) {
    const auto width = static_cast<double>(image.width), height = static_cast<double>(image.height);
    return insight::ImageBox{.left = static_cast<double>(box.left) / width,
                             .top = static_cast<double>(box.top) / height,
                             .right = static_cast<double>(box.right) / width,
                             .bottom = static_cast<double>(box.bottom) / height};
  };
  for (const images::Box& box : gold) example.image->gold.push_back(share(box));
  for (const GlimpsePath::Step& step : path.steps) {
    auto& look = example.image->looks.emplace_back();
    for (const images::Box& box : step.boxes) look.push_back(share(box));
  }
  return example;
}

}  // namespace heed::pipeline
