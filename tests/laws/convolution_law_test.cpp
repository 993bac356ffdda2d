// SPDX-License-Identifier: Apache-2.0
// A law between two families: k heads, each looking at one offset, are a convolution of width k
// (Cordonnier, Loukas & Jaggi 2020, theorem 1).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "heed/attention/mechanism.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/settings_testing.h"
#include "heed/nn/convolution.h"
#include "heed/tensor/testing.h"

namespace heed::attention {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

constexpr std::int64_t kBatch = 2, kLength = 7, kIn = 4, kOut = 3;

// Head h of `width` allows query t the key t + h - (width - 1) / 2 and no other: at the borders
// none.
Tensor one_offset_per_head(std::int64_t width) {
  Tensor mask = Tensor::zeros({1, width, kLength, kLength});
  for (std::int64_t h = 0; h < width; ++h) {
    for (std::int64_t t = 0; t < kLength; ++t) {
      const std::int64_t key = t + h - (width - 1) / 2;
      if (key < 0 || key >= kLength) continue;
      mask.mutable_data()[(h * kLength + t) * kLength + key] = 1;
    }
  }
  return mask;
}

// Every head reads the inputs themselves (W_V repeats the unit matrix), and W_O holds the
// convolution's kernel: column h * in + i is what the kernel gives channel i at offset h.
void take_kernel(MultiHead& heads, const nn::Convolution1d& convolution) {
  const Tensor kernel = convolution.weight.value();  // [out,in,width]
  const std::int64_t width = kernel.size(2);
  for (nn::Parameter& parameter : nn::parameters(heads)) {
    Tensor& value = parameter.variable.mutable_value();
    if (parameter.name == "W_V.weight") {
      Tensor units = Tensor::zeros(value.shape());
      for (std::int64_t row = 0; row < width * kIn; ++row) {
        units.mutable_data()[row * kIn + row % kIn] = 1;
      }
      value.assign(units);
    } else if (parameter.name == "W_O.weight") {
      value.assign(kernel.transpose(1, 2).packed().reshape({kOut, width * kIn}));
    } else if (parameter.name == "W_O.bias") {
      value.assign(convolution.bias.value());
    }
  }
}

class ConvolutionLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(ConvolutionLaw, KHeadsThatEachLookAtOneOffsetAreAConvolutionOfWidthK) {
  for (const std::int64_t width : {1, 2, 3, 5, 7}) {
    SCOPED_TRACE(width);
    Random random(7);
    // One side of an even kernel reaches further than the other: the result is one longer there.
    const nn::Convolution1d convolution(kIn, kOut, width, random, {.padding = width / 2});
    MultiHead heads({.mechanism = "scaled_dot | tensor | " + GetParam(),
                     .query_width = kIn,
                     .output_width = kOut,
                     .heads = width,
                     .head_width = 2,
                     .head_value_width = kIn},
                    random);
    take_kernel(heads, convolution);

    const Variable attended = Variable::leaf(wavy({kBatch, kLength, kIn}));
    const Variable convolved = Variable::leaf(attended.value());
    const Variable context = heads
                                 .attend(attended, heads.memory(attended, attended), {},
                                         {.given = {.mask = one_offset_per_head(width)}})
                                 .context;
    const Variable all = transpose(convolution(transpose(convolved)));
    const std::int64_t first = width % 2 == 0 ? 1 : 0;
    const Variable expected = slice(all, 1, first, first + kLength);
    expect_near(context.value(), expected.value(), 1e-6);

    const Tensor upstream = wavy(context.shape(), 3);
    backward(context, upstream);
    backward(expected, upstream);
    expect_near(attended.gradient(), convolved.gradient(), 1e-6);
  }
}

// One allowed key gets all the weight from every normaliser whose weights sum to one, unless it
// weighs trees, of which such keys are none.
std::vector<std::string> normalisers_that_sum_to_one() {
  std::vector<std::string> names;
  for (const auto& entry : Catalogue<Normaliser>::entries()) {
    if (std::ranges::count(entry.card.promises, Promise::sums_to_one) > 0 &&
        takes_any_table(*entry.make())) {
      names.push_back(entry.card.name);
    }
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, ConvolutionLaw,
                         ::testing::ValuesIn(normalisers_that_sum_to_one()),
                         [](const auto& info) { return info.param; });

// The borders are where a query has no allowed key: zeros, as the convolution's padding.
TEST(ConvolutionBorders, HeadsWithoutAKeyAtTheBorderReadZeros) {
  Random random(7);
  const Mechanism look(
      "dot | tensor",
      {.query_width = kIn, .key_width = kIn, .value_width = kIn, .heads = 3, .key_heads = 1},
      random);
  const Variable values(wavy({1, 1, kLength, kIn}, 1));
  const Variable query(wavy({1, 3, kLength, kIn}));
  const Tensor context = look.attend(query, look.memory(values, values), {},
                                     {.given = {.mask = one_offset_per_head(3)}})
                             .context.value();
  expect_near(context.slice(1, 0, 1).slice(2, 0, 1), Tensor::zeros({1, 1, 1, kIn}), 0);
  expect_near(context.slice(1, 2, 3).slice(2, kLength - 1, kLength), Tensor::zeros({1, 1, 1, kIn}),
              0);
  expect_near(context.slice(1, 0, 1).slice(2, 1, kLength), values.value().slice(2, 0, kLength - 1),
              1e-6);
}

}  // namespace
}  // namespace heed::attention
