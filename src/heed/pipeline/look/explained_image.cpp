// SPDX-License-Identifier: Apache-2.0
// Copies of an image in batches, and gradients by its cells.
#include "heed/pipeline/look/explained_image.h"

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/images/fill_in.h"
#include "heed/nn/module.h"
#include "heed/pipeline/explained_tokens.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kCopiesAtOnce = 64;
constexpr float kMaskGrey = .5f;

}  // namespace

ExplainedImage::ExplainedImage(Parts parts)
    : parts_(std::move(parts)), grid_(parts_.model->encoder().grid()) {
  const images::Image& image = parts_.image;
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      const std::int64_t row = y * grid_.rows / image.height;
      cells_.push_back(
          static_cast<std::size_t>(row * grid_.columns + x * grid_.columns / image.width));
    }
  }
}

images::Image ExplainedImage::without(const explain::Kept& kept, explain::Removal removal) const {
  std::vector<bool> missing;
  for (const std::size_t cell : cells_) missing.push_back(!kept[cell]);
  if (removal == explain::Removal::erase) return images::filled_in(parts_.image, missing);
  images::Image copy = parts_.image;
  const float value = removal == explain::Removal::mask ? kMaskGrey : 0;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    if (!missing[i]) continue;
    std::fill_n(copy.pixels.begin() + static_cast<std::ptrdiff_t>(i) * copy.channels, copy.channels,
                value);
  }
  return copy;
}

std::vector<double> ExplainedImage::outputs(std::span<const explain::Kept> copies,
                                            explain::Removal removal) const {
  const NoGradient values_only;
  std::vector<double> found;
  for (std::size_t begin = 0; begin < copies.size(); begin += kCopiesAtOnce) {
    std::vector<images::Image> some;
    for (const explain::Kept& kept :
         copies.subspan(begin, std::min(kCopiesAtOnce, copies.size() - begin))) {
      some.push_back(without(kept, removal));
    }
    for (const Real score : scores(models::image_tensors(some).pixels).value().values()) {
      found.push_back(static_cast<double>(score));
    }
  }
  return found;
}

Variable ExplainedImage::scores(const Variable& pixels, attention::Observer* watch) const {
  return select(parts_.model->of_pixels(pixels, {.watch = watch}), 1, parts_.label);
}

// Of each cell its pixels in reading order, of each pixel its channels.
explain::Vectors ExplainedImage::vectors() const {
  explain::Vectors cells(size());
  const auto channels = static_cast<std::size_t>(parts_.image.channels);
  for (std::size_t i = 0; i < parts_.image.pixels.size(); ++i) {
    cells[cells_[i / channels]].push_back(static_cast<double>(parts_.image.pixels[i]));
  }
  return cells;
}

images::Image ExplainedImage::with(const explain::Vectors& cells) const {
  images::Image image = parts_.image;
  std::vector<std::size_t> next(size(), 0);
  const auto channels = static_cast<std::size_t>(image.channels);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    const std::size_t cell = cells_[i / channels];
    image.pixels[i] = static_cast<float>(cells[cell][next[cell]++]);
  }
  return image;
}

std::vector<double> ExplainedImage::outputs_at(std::span<const explain::Vectors> copies) const {
  const NoGradient values_only;
  std::vector<double> found;
  for (std::size_t begin = 0; begin < copies.size(); begin += kCopiesAtOnce) {
    std::vector<images::Image> some;
    for (const explain::Vectors& cells :
         copies.subspan(begin, std::min(kCopiesAtOnce, copies.size() - begin))) {
      some.push_back(with(cells));
    }
    for (const Real score : scores(models::image_tensors(some).pixels).value().values()) {
      found.push_back(static_cast<double>(score));
    }
  }
  return found;
}

std::vector<explain::Vectors> ExplainedImage::gradients_at(
    std::span<const explain::Vectors> copies) const {
  std::vector<explain::Vectors> all;
  const std::int64_t channels = parts_.image.channels, area = std::ssize(cells_);
  for (std::size_t begin = 0; begin < copies.size(); begin += kCopiesAtOnce) {
    std::vector<images::Image> some;
    for (const explain::Vectors& cells :
         copies.subspan(begin, std::min(kCopiesAtOnce, copies.size() - begin))) {
      some.push_back(with(cells));
    }
    const Variable pixels = Variable::leaf(models::image_tensors(some).pixels);
    backward(sum(scores(pixels)));
    const Tensor gradient = pixels.gradient().packed();  // [N,C,H,W]
    const Real* from = gradient.data();
    for (std::size_t n = 0; n < some.size(); ++n, from += channels * area) {
      explain::Vectors& mine = all.emplace_back(size());
      for (std::int64_t i = 0; i < area; ++i) {
        for (std::int64_t c = 0; c < channels; ++c) {
          mine[cells_[static_cast<std::size_t>(i)]].push_back(
              static_cast<double>(from[c * area + i]));
        }
      }
    }
  }
  // Gradients that nobody asked for have reached the parameters, too.
  nn::clear_gradients(nn::parameters(*parts_.model));
  return all;
}

std::vector<double> ExplainedImage::attention() const {
  return attends() ? parts_.attention : Subject::attention();
}

// Of the pooling, or of the class token in the last layer: of its heads the mean, by their weights.
std::vector<double> ExplainedImage::attention_gradients() const {
  if (!attends()) return Subject::attention_gradients();
  insight::WeightGradients watched;
  const models::ImageTensors image = models::image_tensors(std::span(&parts_.image, 1));
  backward(sum(scores(image.pixels, &watched)));
  nn::clear_gradients(nn::parameters(*parts_.model));
  const insight::WeightGradients::Entry& last = watched.entries().back();
  const Tensor gradients = last.gradient().packed(), weights = last.weights;  // [1,H,Q,K]
  const std::int64_t heads = weights.size(1), first = weights.size(3) - grid_.cells();
  std::vector<double> found;
  for (std::int64_t cell = 0; cell < grid_.cells(); ++cell) {
    double products = 0, shares = 0, plain = 0;
    for (std::int64_t h = 0; h < heads; ++h) {
      const double share = attention::share_of(weights.at({0, h, 0, first + cell}));
      const auto gradient = static_cast<double>(gradients.at({0, h, 0, first + cell}));
      products += share * gradient;
      shares += share;
      plain += gradient / static_cast<double>(heads);
    }
    found.push_back(shares > 0 ? products / shares : plain);
  }
  return found;
}

// A pooling looks at the cells of convolutions; a class token, or the mean, reads layers of
// patches.
bool ExplainedImage::has_looks() const {
  const bool layers = parts_.model->encoder().has_token();
  switch (parts_.model->options().pooling) {
    case models::CellPooling::attention:
      return !layers;
    case models::CellPooling::mean:
    case models::CellPooling::token:
      return layers;
    default:
      return false;
  }
}

explain::Looks ExplainedImage::looks() const {
  if (!has_looks()) return Subject::looks();
  const bool token = parts_.model->encoder().has_token();
  LooksPlan plan{.size = size(), .layers = "encoder."};
  if (token) plan.words.push_back(-1);
  for (std::size_t cell = 0; cell < size(); ++cell) plan.words.push_back(static_cast<int>(cell));
  plan.is_layer = [](const attention::Site& site) { return site.role == attention::Role::self; };
  plan.is_read = [](const attention::Site& site) { return site.role == attention::Role::pooling; };
  if (token) {
    const bool mean = parts_.model->options().pooling == models::CellPooling::mean;
    plan.readout.assign(size() + 1, mean ? 1 / static_cast<double>(size()) : 0);
    plan.readout.front() = mean ? 0 : 1;
  }
  insight::WeightGradients watched;
  backward(sum(scores(models::image_tensors(std::span(&parts_.image, 1)).pixels, &watched)));
  nn::clear_gradients(nn::parameters(*parts_.model));
  return looks_of(watched, nn::parameters(*parts_.model), std::move(plan));
}

}  // namespace heed::pipeline
