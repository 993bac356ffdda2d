// SPDX-License-Identifier: Apache-2.0
// Positional encodings: sinusoidal and learned vectors added to inputs, rotary angles applied to
// queries and keys.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/random.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// PE(pos, 2i) = sin(pos / 10000^(2i/D)), PE(pos, 2i+1) = cos(the same) (Vaswani 2017, section 3.5),
// for the positions first .. first + count - 1: [count, D]. D is even or odd.
// In halves, all sines come before all cosines, with the same rates.
enum class Sinusoids { interleaved, halves };
const std::vector<std::string>& sinusoids_names();
Tensor sinusoidal_positions(std::int64_t count, std::int64_t width, std::int64_t first = 0,
                            Sinusoids order = Sinusoids::interleaved);

// The same of the cells of a grid, row by row: the first half of the features says the row, the
// second the column: [rows * columns, D]. UsageError unless D is even.
Tensor grid_positions(std::int64_t rows, std::int64_t columns, std::int64_t width);

// A learned vector for each of `length` positions.
struct LearnedPositions {
  Variable weight;  // [length, D]

  LearnedPositions() = default;
  LearnedPositions(std::int64_t length, std::int64_t width, Random& random);
  // The vectors of positions first .. first + count - 1: [count, D]; UsageError beyond the length.
  Variable operator()(std::int64_t count, std::int64_t first = 0) const;
  void visit(nn::ParameterVisitor& visitor) { visitor("weight", weight); }
};

// Rotary positions (Su 2021): pairs of features turn by pos * base^(-2i/D), so that q . k depends
// on the distance only.
enum class RotaryPairs {
  interleaved,  // features 2i and 2i+1 are a pair (the paper)
  half_split,   // features i and i + D/2 are a pair (GPT-NeoX)
};
const std::vector<std::string>& rotary_pairs_names();

// How pairs turn in a context longer than that of the first training.
struct RotaryScaling {
  enum class Kind {
    none,
    linear,  // all rates divided by the factor (Chen 2023)
    llama3,  // slow ones divided, fast ones kept, those between by their share (LLaMA 3.1)
  };
  Kind kind = Kind::none;
  double factor = 1;
  // llama3: with o the original context, waves longer than o / low are slow, shorter than
  // o / high fast.
  double low = 1;
  double high = 4;
  double original = 8192;

  double operator()(double rate) const;
};
const std::vector<std::string>& rotary_scaling_names();

struct Rotary {
  RotaryPairs pairs = RotaryPairs::interleaved;
  double base = 10000;
  RotaryScaling scaling{};

  // x [...,S,D], D even; row s is at position first + s.
  Variable operator()(const Variable& x, std::int64_t first = 0) const;
};

}  // namespace heed::attention

#pragma GCC visibility pop
