// SPDX-License-Identifier: Apache-2.0
// What attention costs as texts grow: the mechanisms that can be long, each as one layer, timed and
// weighed at several lengths; a whole Transformer, its generation, and how near approximations
// come.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace heed::cli {

struct LongMechanism {
  std::string name;
  std::string arena;  // what the Long Range Arena calls the like of it; empty: it is not there
  // Its written form for texts of n tokens.
  std::function<std::string(std::int64_t n)> written;
};
const std::vector<LongMechanism>& long_mechanisms();

// One pass over n tokens, on one thread.
struct LongCost {
  double seconds = 0;  // the least of several, of the thread's own time
  double bytes = 0;    // of tensors beyond the input and the parameters, at most
};
struct LongPoint {
  std::int64_t tokens = 0;
  LongCost forward, training;  // training: forward and backward
};
struct LongCurve {
  const LongMechanism* mechanism = nullptr;
  std::vector<LongPoint> points;  // those that were short enough
};

struct LongOptions {
  std::vector<std::int64_t> lengths;
  std::vector<std::string> names;  // of the mechanisms; none: all
  std::int64_t width = 64;         // of the layer, which has one head
  double seconds = 5;              // a longer training step is not begun
  std::uint64_t seed = 1;
};
std::vector<LongCurve> measure_long(const LongOptions& options);

// From where exponents are fitted: 2,048 tokens, before which the fixed costs of a call show, or
// the shortest length where there are not two beyond. The lengths ascend.
std::int64_t fitted_from(const std::vector<std::int64_t>& lengths);

// The exponents of a curve from `from` tokens on; 0 where it has fewer than two such points.
struct LongExponents {
  double forward = 0, training = 0, memory = 0;  // memory of training
};
LongExponents exponents_of(const LongCurve& curve, std::int64_t from);

// What a Transformer of 4 layers takes to read a text of so many tokens, without gradients.
struct LongReading {
  std::string written;
  std::int64_t tokens = 0;
  double seconds = 0, bytes = 0;  // bytes: as the system sees them, parameters included
};
LongReading measure_reading(const std::string& written, std::int64_t tokens, std::uint64_t seed);

// Milliseconds for one more token after so many, by a Transformer of 4 layers; in turns, so that
// a busy machine is busy for all.
std::vector<double> measure_writing(const std::string& written, std::span<const std::int64_t> after,
                                    std::uint64_t seed);

// Queries and keys of normal numbers, times the root of `deviation`, which is then that of the
// scores whatever the width of a head.
struct LongTexts {
  std::int64_t tokens = 512;
  std::int64_t width = 16;
  double deviation = 1;
  std::uint64_t seed = 1;
};
// The mean absolute error of contexts to those of scaled_dot, values of deviation 1, over 8 seeds.
double error_to_softmax(const std::string& written, const LongTexts& texts);

}  // namespace heed::cli
