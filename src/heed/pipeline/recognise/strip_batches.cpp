// SPDX-License-Identifier: Apache-2.0
// Strips made anew for every batch.
#include "heed/pipeline/recognise/strip_batches.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/corpora/strips/symbol_strips.h"

namespace heed::pipeline {
namespace {

using corpora::Strip;

constexpr std::uint64_t kValidation = 0xFF'FFFF;  // a batch that no training reaches
constexpr std::int64_t kHeldOutShare = 10;        // one in so many digits

std::int64_t learnt_digits(const images::ImageSet& all) {
  return all.size() - all.size() / kHeldOutShare;
}

// CTC takes a state for every label and one more between equal neighbours, which fresh strips of
// narrow digits that overlap may not have: a loss without end, that teaches nothing.
void check_room(const RecogniseOptions& options, const LearntStrips& learnt,
                const images::ImageSet& digits) {
  if (options.model.writing != models::LabelWriting::ctc) return;
  for (const std::int64_t count : {learnt.fewest, learnt.most}) {
    const std::int64_t states =
        corpora::narrowest_strip(digits, count) / models::StripEncoder::kFramesOfPooledState;
    if (2 * count - 1 <= states) continue;
    throw DataError(
        "{}: pictures of {} columns, of which {} side by side may have {} states; CTC takes up to "
        "{}, one for each label and one more between equal ones: give wider pictures, or --writes "
        "attention",
        options.images, digits.columns, count, states, 2 * count - 1);
  }
}

}  // namespace

models::StripTensors strip_tensors(std::span<const Strip> strips) {
  std::int64_t longest = 0;
  for (const Strip& strip : strips) longest = std::max(longest, strip.frames());
  const auto count = std::ssize(strips);
  const std::int64_t height = strips.front().height;
  models::StripTensors tensors{Tensor::zeros({count, longest, height}), Ids({count})};
  for (std::int64_t b = 0; b < count; ++b) {
    const Strip& strip = strips[static_cast<std::size_t>(b)];
    std::ranges::copy(strip.values, tensors.frames.mutable_data() + b * longest * height);
    tensors.lengths.mutable_data()[b] = static_cast<std::int32_t>(strip.frames());
  }
  return tensors;
}

models::StripLabels strip_labels(std::span<const Strip> strips) {
  std::size_t longest = 1;
  for (const Strip& strip : strips) longest = std::max(longest, strip.labels.size());
  const auto count = std::ssize(strips);
  models::StripLabels labels{Ids::full({count, static_cast<std::int64_t>(longest)}, 0),
                             Ids({count})};
  for (std::size_t b = 0; b < strips.size(); ++b) {
    std::ranges::copy(strips[b].labels, labels.labels.mutable_data() + b * longest);
    labels.counts.mutable_data()[b] = static_cast<std::int32_t>(strips[b].labels.size());
  }
  return labels;
}

std::vector<Strip> draw_strips(StripTask task, const images::ImageSet& digits,
                               const corpora::DrawnStrips& wanted) {
  return task == StripTask::digits ? corpora::draw_digit_strips(digits, wanted)
                                   : corpora::draw_symbol_strips(wanted);
}

images::ImageSet held_out_digits(const RecogniseOptions& options) {
  if (options.task != StripTask::digits) return {};
  if (!options.valid_images.empty()) {
    return images::read_idx(options.valid_images, options.valid_labels, 10);
  }
  const images::ImageSet all = images::read_idx(options.images, options.labels, 10);
  return all.slice(learnt_digits(all), all.size());
}

StripBatches::StripBatches(const RecogniseOptions& options) : options_(options) {
  if (options.task == StripTask::symbols) {
    learnt_ = options.learnt(corpora::kSymbolHeight);
    return;
  }
  digits_ = images::read_idx(options.images, options.labels, 10);
  learnt_ = options.learnt(digits_.rows);
  check_room(options, learnt_, digits_);
  if (!options.validates()) return;
  if (options.valid_images.empty()) {
    if (digits_.size() < kHeldOutShare) {
      throw DataError(
          "{}: {} pictures, too few to keep some for validation; give --valid-images, "
          "or --valid-strips 0",
          options.images, digits_.size());
    }
    others_ = digits_.slice(learnt_digits(digits_), digits_.size());
    digits_ = digits_.slice(0, learnt_digits(digits_));
  } else {
    others_ = images::read_idx(options.valid_images, options.valid_labels, 10);
  }
  if (others_.rows != digits_.rows) {
    throw DataError("{}: pictures of {} rows where {} has {}; all take one height",
                    options.valid_images, others_.rows, options.images, digits_.rows);
  }
}

std::vector<Strip> StripBatches::next() {
  const std::uint64_t number = number_++;
  return draw_strips(options_.task, digits_,
                     {.count = options_.batch,
                      .fewest = learnt_.fewest,
                      .most = learnt_.most,
                      .seed = options_.trainer.seed,
                      .batch = number < kValidation ? number : number + 1});
}

bool StripBatches::ends_epoch() const {
  return number_ % static_cast<std::uint64_t>(options_.epoch_batches) == 0;
}

std::string StripBatches::report() const {
  return fmt::format(
      "{} fresh strips of {} to {} {}", number_ * static_cast<std::uint64_t>(options_.batch),
      learnt_.fewest, learnt_.most,
      options_.task == StripTask::symbols ? "symbols"
                                          : fmt::format("of {} digits", digits_.size()));
}

std::uint64_t StripBatches::bytes() const {
  return digits_.pixels.size() + others_.pixels.size();
}

std::vector<Strip> StripBatches::held_out() const {
  if (!options_.validates()) return {};
  return draw_strips(options_.task, others_,
                     {.count = options_.valid_strips,
                      .fewest = learnt_.fewest,
                      .most = learnt_.most,
                      .seed = options_.trainer.seed,
                      .batch = kValidation});
}

}  // namespace heed::pipeline
