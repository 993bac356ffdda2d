// SPDX-License-Identifier: Apache-2.0
// How well strips are read: labels that are wrong, and labels that were looked for elsewhere.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <vector>

#include "heed/corpora/strips/strips.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// The fewest labels that must be changed, added or taken away to make one of the other.
std::int64_t label_edits(std::span<const int> a, std::span<const int> b);

struct StripQuality {
  std::int64_t strips = 0;
  std::int64_t labels = 0;  // that lie in them
  std::int64_t edits = 0;
  std::int64_t wrong_strips = 0;
  std::int64_t placed = 0;  // labels whose place was looked at
  double frames_off = 0;    // of these, in all

  void add(std::span<const int> labels_there, std::span<const int> found);
  // Weights [U,S] of labels that are all right, a state standing for so many frames: how far the
  // mean of each row lies outside its label's frames.
  void add_places(const corpora::Strip& strip, const Tensor& weights, std::int64_t frames_of_state);

  double label_error() const;  // edits of each label
  double strip_error() const;
  double mean_frames_off() const;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
