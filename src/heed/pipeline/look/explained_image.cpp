// SPDX-License-Identifier: Apache-2.0
// Copies of an image in batches, and gradients by its cells.
#include "heed/pipeline/look/explained_image.h"

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/images/fill_in.h"
#include "heed/insight/observe/kept.h"
#include "heed/nn/module.h"

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
    const Tensor logits = (*parts_.model)(models::image_tensors(some), {}).value();  // [N,C]
    for (std::int64_t i = 0; i < std::ssize(some); ++i) {
      found.push_back(static_cast<double>(logits.at({i, parts_.label})));
    }
  }
  return found;
}

std::vector<std::vector<double>> ExplainedImage::factor_gradients(
    std::span<const std::vector<double>> factors) const {
  std::vector<std::vector<double>> all;
  for (std::size_t begin = 0; begin < factors.size(); begin += kCopiesAtOnce) {
    const auto some = factors.subspan(begin, std::min(kCopiesAtOnce, factors.size() - begin));
    const std::vector<images::Image> copies(some.size(), parts_.image);
    models::ImageTensors images = models::image_tensors(copies);
    Tensor by_pixel({std::ssize(some), 1, parts_.image.height, parts_.image.width});
    Real* to = by_pixel.mutable_data();
    for (const std::vector<double>& row : some) {
      for (const std::size_t cell : cells_) *to++ = static_cast<Real>(row[cell]);
    }
    images.factors = Variable::leaf(by_pixel);
    backward(sum(select((*parts_.model)(images, {}), 1, parts_.label)));
    const Tensor gradient = images.factors.gradient().packed();
    const Real* from = gradient.data();
    for (std::size_t i = 0; i < some.size(); ++i) {
      std::vector<double>& mine = all.emplace_back(size(), 0);
      for (const std::size_t cell : cells_) mine[cell] += static_cast<double>(*from++);
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
  backward(sum(select((*parts_.model)(image, {.watch = &watched}), 1, parts_.label)));
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

}  // namespace heed::pipeline
