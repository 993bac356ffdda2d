// SPDX-License-Identifier: Apache-2.0
// Strips: sequences of frames, such as the columns of a picture, with the labels that lie in them
// from left to right. Fresh ones are a function of seed and batch, so that a training that resumes
// sees the same.
#pragma once  // public header

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// The frames a label lies in, the last one not included.
struct LabelPlace {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool operator==(const LabelPlace&) const = default;
};

struct Strip {
  std::int64_t height = 0;           // numbers of a frame
  std::vector<float> values{};       // frame after frame
  std::vector<int> labels{};         // from 0 on, in their order
  bool labelled = false;             // whether they are known
  std::vector<LabelPlace> places{};  // of each label, where they are known

  std::int64_t frames() const {
    return height == 0 ? 0 : static_cast<std::int64_t>(values.size()) / height;
  }
  bool operator==(const Strip&) const = default;
};

struct DrawnStrips {
  std::int64_t count = 1;
  std::int64_t fewest = 3;  // labels of a strip
  std::int64_t most = 8;
  std::uint64_t seed = 1;
  std::uint64_t batch = 0;  // other batches have other strips

  Random random() const;
  // How many labels the next strip has. UsageError for limits that leave no choice.
  std::int64_t length(Random& random) const;
};

// Labels as people write them, one letter of the alphabet each: "cafe".
std::string label_text(std::span<const int> labels, std::string_view alphabet);

}  // namespace heed::corpora

#pragma GCC visibility pop
