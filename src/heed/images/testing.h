// SPDX-License-Identifier: Apache-2.0
// IDX files of a few small digits.
#pragma once

#include <string>
#include <vector>

namespace heed::images::testing {

inline std::string idx_bytes(const std::vector<int>& axes, const std::string& elements) {
  std::string bytes = {0, 0, 8, static_cast<char>(axes.size())};
  for (const int axis : axes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(axis >> shift & 255);
  }
  return bytes + elements;
}

// `count` pictures of `side` by `side`: digit d has ink in the pixels whose number leaves d when
// divided by 10, so that digits are easy to tell.
inline std::string small_digit_images(int count, int side) {
  std::string pixels;
  for (int i = 0; i < count; ++i) {
    for (int p = 0; p < side * side; ++p) pixels += static_cast<char>(p % 10 == i % 10 ? 255 : 0);
  }
  return idx_bytes({count, side, side}, pixels);
}
inline std::string small_digit_labels(int count) {
  std::string labels;
  for (int i = 0; i < count; ++i) labels += static_cast<char>(i % 10);
  return idx_bytes({count}, labels);
}

}  // namespace heed::images::testing
