// SPDX-License-Identifier: Apache-2.0
// Canvases made anew for every epoch.
#include "heed/pipeline/glimpse/canvas_batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/images/idx.h"
#include "heed/images/image_folder.h"

namespace heed::pipeline {
namespace {

using corpora::Canvas;

constexpr std::int64_t kHeldOut = 10;  // one in so many images

std::int64_t learnt_images(const images::ImageSet& all) {
  return all.size() - all.size() / kHeldOut;
}

// The images of one size, and their names.
ImageSource source_like(const images::ImageSet& set, const std::string& images,
                        const std::string& labels) {
  return {.images = images,
          .labels = labels,
          .names = set.names,
          .form = {.height = set.rows, .width = set.columns, .channels = set.channels}};
}

// Labels of IDX files are numbers: as many classes as the largest says.
std::vector<std::string> numbered(const images::ImageSet& set) {
  std::vector<std::string> names;
  const int most = *std::ranges::max_element(set.labels);
  for (int i = 0; i <= most; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

images::ImageSet other_images(const GlimpseTrainOptions& options, const images::ImageSet& like) {
  images::ImageSet others =
      read_image_source(source_like(like, options.valid_images, options.valid_labels));
  if (others.rows != like.rows || others.columns != like.columns) {
    throw DataError("{}: images of {} x {} where {} has {} x {}; all take one size",
                    options.valid_images, others.columns, others.rows, options.images, like.columns,
                    like.rows);
  }
  return others;
}

}  // namespace

images::ImageSet read_image_source(const ImageSource& source) {
  if (source.labels.empty()) {
    return images::read_labelled_images(
        {.path = source.images, .form = source.form, .names = source.names});
  }
  const int classes = source.names.empty() ? 256 : static_cast<int>(source.names.size());
  images::ImageSet set = images::read_idx(source.images, source.labels, classes);
  set.names = source.names.empty() ? numbered(set) : source.names;
  return set;
}

images::ImageSet held_out_images(const GlimpseTrainOptions& options) {
  const images::ImageSet all = read_image_source({options.images, options.labels});
  if (!options.valid_images.empty()) return other_images(options, all);
  return all.slice(learnt_images(all), all.size());
}

Tensor canvas_tensor(std::span<const Canvas> canvases) {
  const images::Image& first = canvases.front().image;
  Tensor tensor({std::ssize(canvases), first.height, first.width, first.channels});
  float* to = tensor.mutable_data();
  for (const Canvas& canvas : canvases) to = std::ranges::copy(canvas.image.pixels, to).out;
  return tensor;
}

Ids canvas_labels(std::span<const Canvas> canvases) {
  const auto targets = std::ssize(canvases.front().labels);
  Ids labels({std::ssize(canvases), targets});
  std::int32_t* to = labels.mutable_data();
  for (const Canvas& canvas : canvases) to = std::ranges::copy(canvas.labels, to).out;
  return labels;
}

CanvasBatches::CanvasBatches(const GlimpseTrainOptions& options)
    : options_(options), images_(read_image_source({options.images, options.labels})) {
  if (images_.names.size() < 2) {
    throw DataError("{}: one label only, {}; it takes two to tell apart", options.images,
                    images_.names.empty() ? "none" : images_.names.front());
  }
  corpora::check_canvases(images_, options.canvas);
  const bool as_they_are = options.canvas.side == 0;
  learnt_ = {.height = as_they_are ? images_.rows : options.canvas.side,
             .width = as_they_are ? images_.columns : options.canvas.side,
             .channels = images_.channels,
             .names = images_.names,
             .canvas = options.canvas};
  if (!options.validates()) return;
  if (!options.valid_images.empty()) {
    others_ = other_images(options, images_);
    return;
  }
  if (images_.size() < kHeldOut) {
    throw DataError(
        "{}: {} images, too few to keep some for validation; give --valid-images, or "
        "--valid-canvases 0",
        options.images, images_.size());
  }
  others_ = images_.slice(learnt_images(images_), images_.size());
  images_ = images_.slice(0, learnt_images(images_));
}

std::uint64_t CanvasBatches::epoch_batches() const {
  const auto batch = static_cast<std::uint64_t>(options_.batch);
  return (static_cast<std::uint64_t>(images_.size()) + batch - 1) / batch;
}

std::vector<Canvas> CanvasBatches::next() {
  const std::uint64_t epoch = number_ / epoch_batches(), seed = options_.trainer.seed;
  if (epoch != epoch_of_order_) {
    order_ = corpora::canvas_order(images_, seed, epoch);
    epoch_of_order_ = epoch;
  }
  const std::size_t begin = static_cast<std::size_t>(number_ % epoch_batches()) *
                            static_cast<std::size_t>(options_.batch);
  const std::size_t end = std::min(order_.size(), begin + static_cast<std::size_t>(options_.batch));
  ++number_;
  std::vector<Canvas> canvases;
  for (std::size_t i = begin; i < end; ++i) {
    canvases.push_back(corpora::draw_canvas(images_, order_[i], options_.canvas,
                                            corpora::canvas_random(seed, epoch, i)));
  }
  return canvases;
}

std::string CanvasBatches::report() const {
  const corpora::CanvasOptions& canvas = options_.canvas;
  if (canvas.side == 0) {
    return fmt::format("{} images of {} x {}", images_.size(), images_.columns, images_.rows);
  }
  return fmt::format(
      "fresh canvases of {} x {} with {} of {} images{}", canvas.side, canvas.side,
      canvas.digits == 1 ? std::string("one") : fmt::format("{}", canvas.digits), images_.size(),
      canvas.clutter > 0 ? fmt::format(" and {} pieces of others", canvas.clutter) : "");
}

std::vector<Canvas> CanvasBatches::held_out() const {
  if (!options_.validates()) return {};
  // Canvases of one image each: more than there are images say little more.
  const std::int64_t count = std::min(options_.valid_canvases, others_.size());
  return corpora::fixed_canvases(others_, count, options_.canvas, options_.trainer.seed);
}

}  // namespace heed::pipeline
