// SPDX-License-Identifier: Apache-2.0
// Sequences made, or shuffled anew in every epoch.
#include "heed/pipeline/machine/bit_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::pipeline {
namespace {

using corpora::BitForm;
using corpora::BitSequence;
using corpora::BitTask;

constexpr std::uint64_t kBitLengths = 0x6c656e67;  // streams of their own
constexpr std::uint64_t kBitShuffles = 0x73687566ULL << 24;
constexpr std::uint64_t kBitValidation = 0xFF'FFFF;  // a batch that no training reaches

}  // namespace

DrawnLength drawn_length(const BitForm& form, std::uint64_t seed, std::uint64_t batch) {
  Random random(seed, kBitLengths);
  random.seek(8 * batch);
  const auto range = static_cast<std::uint64_t>(form.longest - form.shortest + 1);
  DrawnLength drawn;
  drawn.length = form.shortest + static_cast<std::int64_t>(random.integer(range));
  if (form.task == BitTask::repeat_copy) {
    drawn.repeats = 1 + static_cast<std::int64_t>(
                            random.integer(static_cast<std::uint64_t>(form.most_repeats)));
  }
  return drawn;
}

std::vector<BitSequence> read_sequences(const std::string& file, const BitForm& form) {
  std::vector<BitSequence> sequences;
  for (const corpora::BitLines& lines : corpora::read_bit_lines(file)) {
    try {
      sequences.push_back(corpora::posed(form, lines.vectors, lines.where));
    } catch (const UsageError& error) {
      throw DataError("{}", error.what());
    }
  }
  return sequences;
}

BitBatches::BitBatches(const MachineOptions& options) : options_(options) {
  if (options.made_task()) {
    form_ = options.form();
    return;
  }
  form_ = corpora::form_of(corpora::read_bit_lines(options.task), options.task);
  file_ = read_sequences(options.task, form_);
  order_of(0);
}

std::uint64_t BitBatches::epoch_batches() const {
  return file_.empty() ? static_cast<std::uint64_t>(options_.epoch_batches) : order_.size();
}

std::string BitBatches::report() const {
  const char* unit = corpora::length_unit(form_.task);
  const std::string lengths = form_.shortest == form_.longest
                                  ? fmt::format("{} {}", form_.longest, unit)
                                  : fmt::format("{} to {} {}", form_.shortest, form_.longest, unit);
  if (!file_.empty()) return fmt::format("{} sequences of {}", file_.size(), lengths);
  return fmt::format("{} fresh sequences of {}",
                     number_ * static_cast<std::uint64_t>(options_.batch), lengths);
}

std::uint64_t BitBatches::bytes() const {
  std::uint64_t sum = 0;
  for (const BitSequence& one : file_) {
    sum += sizeof(BitSequence) + one.inputs.size() * sizeof(float) + one.targets.size();
  }
  return sum;
}

const std::vector<std::vector<std::size_t>>& BitBatches::order_of(std::uint64_t epoch) {
  if (!order_.empty() && epoch == ordered_epoch_) return order_;
  std::vector<std::size_t> places(file_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  Random random(options_.trainer.seed, kBitShuffles + epoch);
  random.shuffle(places);
  std::map<std::int64_t, std::vector<std::size_t>> by_steps;
  order_.clear();
  for (const std::size_t place : places) {
    std::vector<std::size_t>& mine = by_steps[file_[place].steps];
    mine.push_back(place);
    if (std::ssize(mine) == options_.batch) order_.push_back(std::exchange(mine, {}));
  }
  for (auto& [steps, rest] : by_steps) {
    if (!rest.empty()) order_.push_back(std::move(rest));
  }
  random.shuffle(order_);
  ordered_epoch_ = epoch;
  return order_;
}

BitBatch BitBatches::next() {
  const std::uint64_t batches = epoch_batches();
  const std::uint64_t place = number_ % batches;
  BitBatch batch;
  if (file_.empty()) {
    const DrawnLength drawn = drawn_length(form_, options_.trainer.seed, number_);
    batch.sequences =
        corpora::draw_bits({.form = form_,
                            .count = options_.batch,
                            .length = drawn.length,
                            .repeats = drawn.repeats,
                            .seed = options_.trainer.seed,
                            .batch = number_ < kBitValidation ? number_ : number_ + 1});
  } else {
    for (const std::size_t i : order_of(number_ / batches)[place]) {
      batch.sequences.push_back(file_[i]);
    }
  }
  batch.ends_epoch = place + 1 == batches;
  ++number_;
  return batch;
}

std::vector<BitSequence> validation_sequences(const MachineOptions& options, const BitForm& form) {
  if (!options.valid.empty()) return read_sequences(options.valid, form);
  if (!options.validates()) return {};
  // Of some lengths several each, for what has one length is run together.
  const std::int64_t range = form.longest - form.shortest + 1;
  const std::int64_t lengths = std::min<std::int64_t>({range, options.valid_sequences, 10});
  std::vector<BitSequence> sequences;
  for (std::int64_t i = 0; i < lengths; ++i) {
    const std::int64_t count =
        options.valid_sequences * (i + 1) / lengths - options.valid_sequences * i / lengths;
    const auto more = corpora::draw_bits(
        {.form = form,
         .count = count,
         .length = form.longest - (lengths == 1 ? 0 : i * (range - 1) / (lengths - 1)),
         .repeats = 1 + i * (form.most_repeats - 1) / std::max<std::int64_t>(1, lengths - 1),
         .seed = options.trainer.seed,
         .batch = kBitValidation - static_cast<std::uint64_t>(i)});
    sequences.insert(sequences.end(), more.begin(), more.end());
  }
  return sequences;
}

}  // namespace heed::pipeline
