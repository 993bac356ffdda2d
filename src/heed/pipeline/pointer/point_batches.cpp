// SPDX-License-Identifier: Apache-2.0
// Sets made, or shuffled anew in every epoch.
#include "heed/pipeline/pointer/point_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "heed/corpora/points/point_files.h"
#include "heed/corpora/points/tours.h"
#include "heed/pipeline/pointer/point_search.h"

namespace heed::pipeline {
namespace {

using corpora::PointSet;
using corpora::PointTask;

constexpr std::uint64_t kSizes = 0x73697a6573;  // streams of their own
constexpr std::uint64_t kShuffles = 0x73687566ULL << 24;
constexpr std::uint64_t kValidation = 0xFF'FFFF;  // a batch that no training reaches

PointForm form_of(std::span<const PointSet> sets) {
  PointForm form{.task = corpora::task_of_answers(sets)};
  const auto size = [](const PointSet& set) { return set.points.size(); };
  const auto answer = [](const PointSet& set) { return set.answer.size(); };
  form.fewest = std::ssize(std::ranges::min_element(sets, {}, size)->points);
  form.most = std::ssize(std::ranges::max_element(sets, {}, size)->points);
  form.least = form.task == PointTask::tour ? 0
               : form.task == PointTask::hull
                   ? 3
                   : std::ssize(std::ranges::min_element(sets, {}, answer)->answer);
  return form;
}

}  // namespace

Tensor PointBatch::points(std::int64_t features) const {
  std::vector<const corpora::Points*> all;
  for (const PointSet& set : sets) all.push_back(&set.points);
  return point_tensor(all, features);
}

Ids PointBatch::choices() const {
  std::size_t longest = 0;
  for (const PointSet& set : sets) longest = std::max(longest, set.answer.size());
  Ids all =
      Ids::full({std::ssize(sets), static_cast<std::int64_t>(longest + 1)}, models::kEndChoice);
  for (std::size_t b = 0; b < sets.size(); ++b) {
    for (std::size_t t = 0; t < sets[b].answer.size(); ++t) {
      all.mutable_data()[b * (longest + 1) + t] = sets[b].answer[t] + 1;
    }
  }
  return all;
}

Ids PointBatch::targets() const {
  Ids all = choices();
  for (std::size_t b = 0; b < sets.size(); ++b) {
    for (auto t = std::ssize(sets[b].answer) + 1; t < all.size(1); ++t) {
      all.mutable_data()[static_cast<std::int64_t>(b) * all.size(1) + t] = -1;
    }
  }
  return all;
}

PointBatches::PointBatches(const PointerOptions& options) : options_(options) {
  if (options.made_task()) {
    form_ = options.form();
    return;
  }
  file_ = corpora::read_answered_sets(options.task);
  form_ = form_of(file_);
  order_of(0);
}

std::uint64_t PointBatches::epoch_batches() const {
  return file_.empty() ? static_cast<std::uint64_t>(options_.epoch_batches) : order_.size();
}

std::string PointBatches::report() const {
  const std::string sizes = form_.fewest == form_.most
                                ? fmt::format("{} points", form_.fewest)
                                : fmt::format("{} to {} points", form_.fewest, form_.most);
  if (!file_.empty()) return fmt::format("{} sets of {}", file_.size(), sizes);
  return fmt::format("{} fresh sets of {}", number_ * static_cast<std::uint64_t>(options_.batch),
                     sizes);
}

std::uint64_t PointBatches::bytes() const {
  std::uint64_t sum = 0;
  for (const PointSet& set : file_) {
    sum += sizeof(PointSet) + set.points.size() * sizeof(corpora::Point) +
           set.answer.size() * sizeof(int);
  }
  return sum;
}

const std::vector<std::vector<std::size_t>>& PointBatches::order_of(std::uint64_t epoch) {
  if (!order_.empty() && epoch == ordered_epoch_) return order_;
  std::vector<std::size_t> places(file_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  Random random(options_.trainer.seed, kShuffles + epoch);
  random.shuffle(places);
  std::map<std::size_t, std::vector<std::size_t>> by_size;
  order_.clear();
  for (const std::size_t place : places) {
    std::vector<std::size_t>& mine = by_size[file_[place].points.size()];
    mine.push_back(place);
    if (std::ssize(mine) == options_.batch) order_.push_back(std::exchange(mine, {}));
  }
  for (auto& [size, rest] : by_size) {
    if (!rest.empty()) order_.push_back(std::move(rest));
  }
  random.shuffle(order_);
  ordered_epoch_ = epoch;
  return order_;
}

PointBatch PointBatches::made(std::uint64_t number) const {
  Random sizes(options_.trainer.seed, kSizes);
  sizes.seek(4 * number);
  const auto range = static_cast<std::uint64_t>(form_.most - form_.fewest + 1);
  return {.sets = corpora::draw_sets(
              {.task = form_.task,
               .count = options_.batch,
               .points = form_.fewest + static_cast<std::int64_t>(sizes.integer(range)),
               .seed = options_.trainer.seed,
               .batch = number < kValidation ? number : number + 1,
               .answers = options_.learn == PointLearning::targets})};
}

PointBatch PointBatches::next() {
  const std::uint64_t batches = epoch_batches();
  const std::uint64_t place = number_ % batches;
  PointBatch batch;
  if (file_.empty()) {
    batch = made(number_);
  } else {
    for (const std::size_t i : order_of(number_ / batches)[place]) batch.sets.push_back(file_[i]);
  }
  batch.ends_epoch = place + 1 == batches;
  ++number_;
  return batch;
}

std::vector<PointSet> validation_sets(const PointerOptions& options, const PointForm& form) {
  if (!options.valid.empty()) {
    return corpora::read_answered_sets(options.valid, corpora::features_of(form.task));
  }
  if (!options.validates()) return {};
  const std::int64_t range = form.most - form.fewest + 1;
  std::vector<PointSet> sets;
  for (std::int64_t i = 0; i < range; ++i) {
    const std::int64_t points = form.fewest + i;
    const std::vector<PointSet> more = corpora::draw_sets(
        {.task = form.task,
         .count = options.valid_sets * (i + 1) / range - options.valid_sets * i / range,
         .points = points,
         .seed = options.trainer.seed,
         .batch = kValidation,
         .answers = form.task != PointTask::tour ||
                    points <= static_cast<std::int64_t>(corpora::kMostOptimal)});
    sets.insert(sets.end(), more.begin(), more.end());
  }
  return sets;
}

}  // namespace heed::pipeline
