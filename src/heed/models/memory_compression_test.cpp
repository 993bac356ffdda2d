// SPDX-License-Identifier: Apache-2.0
// Every compression against its definition, written out.
#include "heed/models/memory_compression.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/models/testing.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::wavy;

constexpr std::int64_t kTracks = 2, kStates = 9, kRate = 3, kWidth = 4;

struct Compressed {
  Tensor states = wavy({kTracks, kStates, kWidth});
  Tensor slots;
  std::vector<Tensor> parameters;

  explicit Compressed(CompressionKind kind, const Tensor& usage = {}) {
    Random random(4);
    MemoryCompression compression(kind, kRate, kWidth, random);
    nn::Parameters all = nn::parameters(compression);
    for (nn::Parameter& parameter : all) {
      Tensor& value = parameter.variable.mutable_value();
      if (value.rank() == 1) value.assign(wavy(value.shape(), 5));
      parameters.push_back(value);
    }
    slots = compression(Variable(states), usage).value().packed();
    EXPECT_EQ(slots.shape(), (Shape{kTracks, kStates / kRate, kWidth}));
  }
  double state(std::int64_t b, std::int64_t i, std::int64_t d) const {
    return i < 0 || i >= kStates ? 0 : states.at({b, i, d});
  }
  // The slots are what this says of track, slot and feature.
  template <typename Definition>
  void are(const Definition& definition) const {
    for (std::int64_t b = 0; b < kTracks; ++b) {
      for (std::int64_t s = 0; s < kStates / kRate; ++s) {
        for (std::int64_t d = 0; d < kWidth; ++d) {
          EXPECT_NEAR(slots.at({b, s, d}), definition(b, s, d), 1e-5) << b << s << d;
        }
      }
    }
  }
};

TEST(MemoryCompression, TakesTheMeanOfEachGroup) {
  const Compressed found(CompressionKind::mean);
  found.are([&](std::int64_t b, std::int64_t s, std::int64_t d) {
    return (found.state(b, 3 * s, d) + found.state(b, 3 * s + 1, d) +
            found.state(b, 3 * s + 2, d)) /
           3;
  });
}

TEST(MemoryCompression, TakesTheMaximumOfEachGroup) {
  const Compressed found(CompressionKind::max);
  found.are([&](std::int64_t b, std::int64_t s, std::int64_t d) {
    return std::max(
        {found.state(b, 3 * s, d), found.state(b, 3 * s + 1, d), found.state(b, 3 * s + 2, d)});
  });
}

// Sum over the taps t and features e of W[d, t D + e] x[at(slot, t), e], and the bias.
void expect_convolved(const Compressed& found,
                      const std::function<std::int64_t(std::int64_t, std::int64_t)>& at) {
  ASSERT_EQ(found.parameters.size(), 2U);
  found.are([&](std::int64_t b, std::int64_t s, std::int64_t d) {
    double sum = found.parameters[1].at({d});
    for (std::int64_t t = 0; t < kRate; ++t) {
      for (std::int64_t e = 0; e < kWidth; ++e) {
        sum += found.parameters[0].at({d, t * kWidth + e}) * found.state(b, at(s, t), e);
      }
    }
    return sum;
  });
}

TEST(MemoryCompression, ConvolvesEachGroup) {
  expect_convolved(Compressed(CompressionKind::convolution),
                   [](std::int64_t slot, std::int64_t tap) { return 3 * slot + tap; });
}

TEST(MemoryCompression, ConvolvesEveryOtherStateRoundAGroup) {
  // The middle of a group is the middle of the taps: 3 s + 1 and two to either side.
  expect_convolved(Compressed(CompressionKind::dilated),
                   [](std::int64_t slot, std::int64_t tap) { return 3 * slot - 1 + 2 * tap; });
}

TEST(MemoryCompression, KeepsTheStatesThatAreUsedMostInTheirOrder) {
  const Tensor usage = Tensor::of({kTracks, kStates}, {0, 5, 1, 0, 9, 0, 0, 2, 7,  //
                                                       1, 1, 1, 1, 1, 1, 1, 1, 1});
  const Compressed found(CompressionKind::most_used, usage);
  const std::int64_t chosen[kTracks][3] = {{1, 4, 8}, {6, 7, 8}};  // of equal ones the latest
  found.are([&](std::int64_t b, std::int64_t s, std::int64_t d) {
    return found.state(b, chosen[b][s], d);
  });
}

TEST(MemoryCompression, RefusesWhatDoesNotFit) {
  Random random(1);
  const MemoryCompression thirds(CompressionKind::mean, 3, 4, random);
  EXPECT_THROW(thirds(Variable(wavy({1, 4, 4}))), UsageError);
  EXPECT_THROW(MemoryCompression(CompressionKind::mean, 0, 4, random), UsageError);
  const MemoryCompression used(CompressionKind::most_used, 3, 4, random);
  EXPECT_THROW(used(Variable(wavy({1, 6, 4}))), UsageError);
  EXPECT_THROW(MemoryCompression()(Variable(wavy({1, 6, 4}))), UsageError);
}

}  // namespace
}  // namespace heed::models
