// SPDX-License-Identifier: Apache-2.0
// Angles are computed in double: in float, position 10,000 would be off by a thousandth of a turn.
#include "heed/attention/positions.h"

#include <cmath>
#include <numbers>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// cos and sin of the angle of each (position, pair): [S, D/2] each.
struct Turns {
  Turns(std::int64_t count, std::int64_t half, std::int64_t first, const Rotary& rotary)
      : cosine(Shape{count, half}), sine(Shape{count, half}) {
    Real* c = cosine.mutable_data();
    Real* s = sine.mutable_data();
    std::vector<double> rates;
    for (std::int64_t i = 0; i < half; ++i) {
      rates.push_back(rotary.scaling(
          std::pow(rotary.base, -static_cast<double>(i) / static_cast<double>(half))));
    }
    for (std::int64_t position = 0; position < count; ++position) {
      for (std::int64_t i = 0; i < half; ++i) {
        const double angle =
            static_cast<double>(first + position) * rates[static_cast<std::size_t>(i)];
        c[position * half + i] = static_cast<Real>(std::cos(angle));
        s[position * half + i] = static_cast<Real>(std::sin(angle));
      }
    }
  }
  Tensor cosine;
  Tensor sine;
};

// Turns every pair (a, b) of x to (a cos - b sin, a sin + b cos); `direction` -1 turns back, which
// is the gradient, for a rotation's transpose is its inverse.
Tensor turned(const Tensor& x, const Turns& turns, RotaryPairs pairs, Real direction) {
  const Tensor from = x.packed();
  Tensor to(x.shape());
  const std::int64_t width = x.size(-1);
  const std::int64_t half = width / 2;
  const std::int64_t steps = x.size(-2);
  const std::int64_t apart = pairs == RotaryPairs::interleaved ? 1 : half;
  const std::int64_t stride = pairs == RotaryPairs::interleaved ? 2 : 1;
  const std::int64_t rows = width == 0 ? 0 : x.size() / width;
  Real* out = to.mutable_data();
  for (std::int64_t row = 0; row < rows; ++row) {
    const Real* in = from.data() + row * width;
    const Real* cosine = turns.cosine.data() + row % steps * half;
    const Real* sine = turns.sine.data() + row % steps * half;
    for (std::int64_t i = 0; i < half; ++i) {
      const Real a = in[i * stride];
      const Real b = in[i * stride + apart];
      const Real s = direction * sine[i];
      out[row * width + i * stride] = a * cosine[i] - b * s;
      out[row * width + i * stride + apart] = a * s + b * cosine[i];
    }
  }
  return to;
}

}  // namespace

const std::vector<std::string>& sinusoids_names() {
  static const std::vector<std::string> names = {"interleaved", "halves"};
  return names;
}

const std::vector<std::string>& rotary_pairs_names() {
  static const std::vector<std::string> names = {"interleaved", "half_split"};
  return names;
}

const std::vector<std::string>& rotary_scaling_names() {
  static const std::vector<std::string> names = {"none", "linear", "llama3"};
  return names;
}

double RotaryScaling::operator()(double rate) const {
  if (kind == Kind::none) return rate;
  if (kind == Kind::linear) return rate / factor;
  const double wave = 2 * std::numbers::pi / rate;
  if (wave > original / low) return rate / factor;
  if (wave < original / high) return rate;
  const double share = (original / wave - low) / (high - low);
  return rate * ((1 - share) / factor + share);
}

Tensor sinusoidal_positions(std::int64_t count, std::int64_t width, std::int64_t first,
                            Sinusoids order) {
  const bool halves = order == Sinusoids::halves;
  const std::int64_t sines = (width + 1) / 2;
  Tensor positions(Shape{count, width});
  Real* data = positions.mutable_data();
  for (std::int64_t position = 0; position < count; ++position) {
    for (std::int64_t j = 0; j < width; ++j) {
      const bool sine = halves ? j < sines : j % 2 == 0;
      const std::int64_t pair = halves ? (sine ? j : j - sines) : j / 2;
      const double power = static_cast<double>(2 * pair) / static_cast<double>(width);
      const double angle = static_cast<double>(first + position) / std::pow(10000.0, power);
      data[position * width + j] = static_cast<Real>(sine ? std::sin(angle) : std::cos(angle));
    }
  }
  return positions;
}

Tensor grid_positions(std::int64_t rows, std::int64_t columns, std::int64_t width) {
  if (width % 2 != 0) {
    throw UsageError("positions of a grid: {} features; half say the row and half the column",
                     width);
  }
  const std::int64_t half = width / 2;
  const Tensor down = sinusoidal_positions(rows, half),
               across = sinusoidal_positions(columns, half);
  Tensor positions(Shape{rows * columns, width});
  Real* to = positions.mutable_data();
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column, to += width) {
      std::copy_n(down.data() + row * half, half, to);
      std::copy_n(across.data() + column * half, half, to + half);
    }
  }
  return positions;
}

LearnedPositions::LearnedPositions(std::int64_t length, std::int64_t width, Random& random)
    : weight(nn::parameter(nn::normal({length, width}, random, 0, Real(0.02)))) {}

Variable LearnedPositions::operator()(std::int64_t count, std::int64_t first) const {
  if (first < 0 || count < 0 || first + count > weight.size(0)) {
    throw UsageError("learned positions: {} to {} asked for; there are {}, counted from 0", first,
                     first + count - 1, weight.size(0));
  }
  return slice(weight, 0, first, first + count);
}

Variable Rotary::operator()(const Variable& x, std::int64_t first) const {
  if (x.rank() < 2 || x.size(-1) % 2 != 0) {
    throw UsageError("rotary: input {}; it takes [...,steps,width] with an even width",
                     x.shape().text());
  }
  const Turns turns(x.size(-2), x.size(-1) / 2, first, *this);
  return record("rotary", turned(x.value(), turns, pairs, 1), {x},
                [turns, pairs = pairs](const Tensor& dy) -> Gradients {
                  return {turned(dy, turns, pairs, -1)};
                });
}

}  // namespace heed::attention
