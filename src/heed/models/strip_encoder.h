// SPDX-License-Identifier: Apache-2.0
// The encoder of strips: frames, or what two convolutions make of a picture's columns, read by a
// recurrent network in both directions.
//
// Letters: B strips, T frames of the longest, F numbers of a frame, S states, D features.
#pragma once  // public header

#include "heed/models/encoder.h"
#include "heed/nn/convolution.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

struct StripTensors {
  Tensor frames;  // [B,T,F], padded with zeros
  Ids lengths;    // [B]
};

struct StripEncoderOptions {
  std::int64_t height = 16;  // F
  // Two convolutions of 3 by 3 over pictures, each followed by the largest of 2 by 2: a state for
  // every four columns, for a digit is wider than that.
  bool convolution = false;
  std::int64_t channels = 8;  // of the first, and half of the second
  nn::Cell cell = nn::Cell::lstm;
  std::int64_t hidden = 64;  // of each direction
  int layers = 1;
  Real dropout = 0;  // between layers
};

class StripEncoder final : public Encoder<StripTensors> {
 public:
  StripEncoder() = default;
  // UsageError for sizes that cannot be.
  StripEncoder(const StripEncoderOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor) override;
  std::int64_t width() const override { return 2 * options_.hidden; }
  // UsageError for strips of another height, and for those that are too short for a state.
  EncoderStates operator()(const StripTensors& strips, const Call& call) const override;

  // How many frames a state stands for; what is left over at a strip's end is not read.
  std::int64_t frames_of_state() const { return options_.convolution ? kFramesOfPooledState : 1; }
  static constexpr std::int64_t kFramesOfPooledState = 4;  // each of two poolings halves

 private:
  // [B,T,F] -> [S,B,I], and the lengths in states.
  Variable convolved(const StripTensors& strips, Ids& lengths) const;

  StripEncoderOptions options_;
  nn::Convolution2d first_, second_;
  nn::RecurrentNetwork network_;
};

}  // namespace heed::models

#pragma GCC visibility pop
