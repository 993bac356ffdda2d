// SPDX-License-Identifier: Apache-2.0
// Images in an order of their own for every epoch.
#include "heed/pipeline/look/image_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/images/idx.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kHeldOutShare = 10;  // one in so many images

images::ImageSet read_all(const LookOptions& options, const LearntImages& learnt) {
  return options.from_files()
             ? images::read_labelled_images(
                   {.path = options.train, .form = learnt.form, .names = learnt.names})
             : images::read_idx(options.images, options.labels);
}

// Every tenth image: folders have one label after another.
images::ImageSet every_tenth(const images::ImageSet& all, bool those) {
  images::ImageSet some{
      .rows = all.rows, .columns = all.columns, .channels = all.channels, .names = all.names};
  for (std::int64_t i = 0; i < all.size(); ++i) {
    if ((i % kHeldOutShare == kHeldOutShare - 1) != those) continue;
    some.pixels.insert(some.pixels.end(), all.image_data(i), all.image_data(i) + all.image_bytes());
    some.labels.push_back(all.labels[static_cast<std::size_t>(i)]);
  }
  return some;
}

// By some scenes that no epoch has: they are all alike in this.
void set_normal(LearntImages& learnt) {
  constexpr std::int64_t kMeasured = 64;
  double sum = 0, squares = 0, count = 0;
  for (const corpora::Canvas& canvas : corpora::fixed_target_scenes(learnt.wish(), kMeasured, 1)) {
    for (const float pixel : canvas.image.pixels) {
      sum += static_cast<double>(pixel);
      squares += static_cast<double>(pixel) * static_cast<double>(pixel);
      ++count;
    }
  }
  learnt.mean = sum / count;
  learnt.deviation = std::sqrt(squares / count - learnt.mean * learnt.mean);
}

bool has_own_validation(const LookOptions& options) {
  return !options.valid.empty() || !options.valid_images.empty();
}

ImageFiles validation_files(const LookOptions& options) {
  return {options.valid.empty() ? options.valid_images : options.valid, options.valid_labels};
}

}  // namespace

ImageBatch image_batch(std::span<const corpora::Canvas> canvases) {
  std::vector<images::Image> all;
  Ids labels({std::ssize(canvases)});
  for (std::size_t i = 0; i < canvases.size(); ++i) {
    all.push_back(canvases[i].image);
    labels.mutable_data()[i] = static_cast<std::int32_t>(canvases[i].labels.front());
  }
  return {models::image_tensors(all), labels};
}

images::ImageSet read_images_for(const LearntImages& learnt, const ImageFiles& files) {
  if (files.labels.empty()) {
    return images::read_labelled_images(
        {.path = files.images, .form = learnt.form, .names = learnt.names});
  }
  images::ImageSet set =
      images::read_idx(files.images, files.labels, static_cast<int>(learnt.names.size()));
  const bool canvas = learnt.canvas.side > 0;
  if (learnt.form.channels != 1 ||
      (!canvas && (set.rows != learnt.form.height || set.columns != learnt.form.width))) {
    throw DataError("{}: grey images of {} x {}; the model looks at {} x {}, {} channels",
                    files.images, set.columns, set.rows, learnt.form.width, learnt.form.height,
                    learnt.form.channels);
  }
  set.names = learnt.names;
  return set;
}

std::vector<corpora::Canvas> held_out_canvases(const LookOptions& options,
                                               const LearntImages& learnt, std::int64_t count,
                                               std::uint64_t seed) {
  if (learnt.of_scenes()) return corpora::fixed_target_scenes(learnt.wish(), count, seed);
  const images::ImageSet set = has_own_validation(options)
                                   ? read_images_for(learnt, validation_files(options))
                                   : every_tenth(read_all(options, learnt), true);
  return corpora::fixed_canvases(set, std::min(count, set.size()), learnt.canvas, seed);
}

ImageBatches::ImageBatches(const LookOptions& options) : options_(options) {
  if (options.from_scenes()) {
    learnt_.target = options.target;
    learnt_.distractors = options.distractors;
    learnt_.form = {corpora::kSceneSide, corpora::kSceneSide, 3};
    learnt_.names.assign(corpora::kColourWords.begin(), corpora::kColourWords.end());
    set_normal(learnt_);
    return;
  }
  if (options.from_files()) {
    learnt_.form = {options.side, options.side, options.colour ? 3 : 1};
  } else {
    learnt_.canvas = {.side = options.side, .clutter = options.clutter, .piece = options.piece};
  }
  set_ = read_all(options, learnt_);
  learnt_.names = set_.names;
  const std::int64_t side = learnt_.canvas.side;
  learnt_.form = {side > 0 ? side : set_.rows, side > 0 ? side : set_.columns, set_.channels};
  if (learnt_.names.size() < 2) {
    throw DataError("{}: {} label; it takes two or more to tell apart",
                    options.from_files() ? options.train : options.labels, learnt_.names.size());
  }
  try {
    corpora::check_canvases(set_, learnt_.canvas);
  } catch (const UsageError& error) {
    throw UsageError("--side {}, --clutter {}: {}", options.side, options.clutter, error.what());
  }
  if (!options.validates()) return;
  if (has_own_validation(options)) {
    others_ = read_images_for(learnt_, validation_files(options));
    return;
  }
  if (set_.size() < kHeldOutShare) {
    throw DataError(
        "{}: {} images, too few to keep some for validation; give more, or "
        "--valid-count 0",
        options.from_files() ? options.train : options.images, set_.size());
  }
  others_ = every_tenth(set_, true);
  set_ = every_tenth(set_, false);
}

std::uint64_t ImageBatches::epoch_batches() const {
  return static_cast<std::uint64_t>((size() + options_.batch - 1) / options_.batch);
}

// Scenes are fresh whatever their number: no order is needed.
std::vector<std::int64_t> ImageBatches::order_of(std::uint64_t epoch) const {
  if (!learnt_.of_scenes()) return corpora::canvas_order(set_, options_.trainer.seed, epoch);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(options_.scenes));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

ImageBatch ImageBatches::next() {
  const std::uint64_t number = number_++;
  const std::uint64_t epoch = number / epoch_batches();
  if (order_.empty() || ordered_epoch_ != epoch) {
    order_ = order_of(epoch);
    ordered_epoch_ = epoch;
  }
  const auto first = static_cast<std::int64_t>(number % epoch_batches()) * options_.batch;
  const std::int64_t last = std::min(first + options_.batch, size());
  std::vector<corpora::Canvas> canvases;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t which = order_[static_cast<std::size_t>(i)];
    const Random random =
        corpora::canvas_random(options_.trainer.seed, epoch, static_cast<std::uint64_t>(which));
    canvases.push_back(learnt_.of_scenes()
                           ? corpora::draw_target_scene(learnt_.wish(), random)
                           : corpora::draw_canvas(set_, which, learnt_.canvas, random));
  }
  return image_batch(canvases);
}

std::string ImageBatches::report() const {
  if (learnt_.of_scenes()) {
    return fmt::format("{} fresh scenes an epoch, a {} in {} colours among {} other objects",
                       options_.scenes, learnt_.target, learnt_.names.size(), learnt_.distractors);
  }
  return fmt::format(
      "{} images of {} kinds, {} x {}{}", set_.size(), learnt_.names.size(), learnt_.form.width,
      learnt_.form.height,
      learnt_.canvas.side > 0
          ? fmt::format(" on fresh canvases with {} pieces of others", learnt_.canvas.clutter)
          : "");
}

std::vector<corpora::Canvas> ImageBatches::held_out() const {
  if (!options_.validates()) return {};
  if (learnt_.of_scenes()) {
    return held_out_canvases(options_, learnt_, options_.valid_count, options_.trainer.seed);
  }
  return corpora::fixed_canvases(others_, std::min(options_.valid_count, others_.size()),
                                 learnt_.canvas, options_.trainer.seed);
}

}  // namespace heed::pipeline
