// SPDX-License-Identifier: Apache-2.0
// Edits (Levenshtein 1966) and places.
#include "heed/pipeline/recognise/strip_quality.h"

#include <algorithm>
#include <numeric>

namespace heed::pipeline {

std::int64_t label_edits(std::span<const int> a, std::span<const int> b) {
  std::vector<std::int64_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::int64_t corner = std::exchange(row[0], row[0] + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

void StripQuality::add(std::span<const int> labels_there, std::span<const int> found) {
  const std::int64_t wrong = label_edits(labels_there, found);
  ++strips;
  labels += std::ssize(labels_there);
  edits += wrong;
  wrong_strips += wrong > 0 ? 1 : 0;
}

void StripQuality::add_places(const corpora::Strip& strip, const Tensor& weights,
                              std::int64_t frames_of_state) {
  for (std::int64_t u = 0; u < std::min(weights.size(0), std::ssize(strip.places)); ++u) {
    double sum = 0, mean = 0;
    for (std::int64_t s = 0; s < weights.size(1); ++s) {
      const auto weight = static_cast<double>(weights.at({u, s}));
      sum += weight;
      mean += weight * (static_cast<double>(s) + .5) * static_cast<double>(frames_of_state);
    }
    ++placed;
    const corpora::LabelPlace place = strip.places[static_cast<std::size_t>(u)];
    const auto begin = static_cast<double>(place.begin), end = static_cast<double>(place.end);
    // A row that is all zero looked nowhere, which is as far off as the strip is long.
    frames_off += sum > 0 ? std::max({0., begin - mean / sum, mean / sum - end})
                          : static_cast<double>(strip.frames());
  }
}

double StripQuality::label_error() const {
  return static_cast<double>(edits) / static_cast<double>(std::max<std::int64_t>(1, labels));
}

double StripQuality::strip_error() const {
  return static_cast<double>(wrong_strips) / static_cast<double>(std::max<std::int64_t>(1, strips));
}

double StripQuality::mean_frames_off() const {
  return frames_off / static_cast<double>(std::max<std::int64_t>(1, placed));
}

}  // namespace heed::pipeline
