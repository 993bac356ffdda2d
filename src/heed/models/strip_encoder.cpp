// SPDX-License-Identifier: Apache-2.0
// Frames to states; what is beside a strip in its batch changes nothing.
#include "heed/models/strip_encoder.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/sequences.h"
#include "heed/nn/lengths.h"

namespace heed::models {
namespace {

Ids halved(const Ids& lengths) {
  Ids half({lengths.size(0)});
  for (std::int64_t b = 0; b < lengths.size(0); ++b) {
    half.mutable_data()[b] = lengths.at({b}) / 2;
  }
  return half;
}

}  // namespace

StripEncoder::StripEncoder(const StripEncoderOptions& options, Random& random) : options_(options) {
  if (options.height < 1 || options.hidden < 1 || options.layers < 1 || options.channels < 1 ||
      (options.convolution && options.height < 4)) {
    throw UsageError(
        "strip encoder: frames of {}, {} channels, {} hidden units, {} layers; all take 1 or more, "
        "and convolutions 4 numbers of a frame",
        options.height, options.channels, options.hidden, options.layers);
  }
  std::int64_t inputs = options.height;
  if (options.convolution) {
    first_ = nn::Convolution2d(1, options.channels, 3, random, {.padding = 1});
    second_ = nn::Convolution2d(options.channels, 2 * options.channels, 3, random, {.padding = 1});
    inputs = 2 * options.channels * (options.height / 4);
  }
  network_ = nn::RecurrentNetwork({.cell = options.cell,
                                   .inputs = inputs,
                                   .hidden = options.hidden,
                                   .layers = options.layers,
                                   .bidirectional = true,
                                   .dropout = options.dropout},
                                  random);
}

void StripEncoder::visit(nn::ParameterVisitor& visitor) {
  if (options_.convolution) {
    visitor("first", first_);
    visitor("second", second_);
  }
  visitor("network", network_);
}

Variable StripEncoder::convolved(const StripTensors& strips, Ids& lengths) const {
  const std::int64_t batch = strips.frames.size(0);
  Variable x = reshape(Variable(strips.frames), {batch, 1, -1, options_.height});
  for (const nn::Convolution2d* layer : {&first_, &second_}) {
    lengths = halved(lengths);
    // A bias makes something of padding, which a strip alone does not have.
    x = nn::without_padding(pool_2d(Pooling::maximum, relu((*layer)(x)), 2, {.stride = 2}),
                            lengths);
  }
  const Variable by_time = permute(x, {2, 0, 1, 3});  // [S,B,C,F']
  return reshape(by_time, {by_time.size(0), batch, -1});
}

EncoderStates StripEncoder::operator()(const StripTensors& strips, const Call& call) const {
  if (strips.frames.rank() != 3 || strips.frames.size(2) != options_.height) {
    throw UsageError("strip encoder: frames {}; it takes [strips, frames, {}]",
                     strips.frames.shape().text(), options_.height);
  }
  nn::check_lengths("strip encoder", strips.lengths, strips.frames.size(0), strips.frames.size(1));
  for (std::int64_t b = 0; b < strips.lengths.size(0); ++b) {
    if (strips.lengths.at({b}) < frames_of_state()) {
      throw UsageError("strip encoder: a strip of {} frames; it takes {} or more",
                       strips.lengths.at({b}), frames_of_state());
    }
  }
  Ids lengths = strips.lengths;
  const Variable x =
      options_.convolution ? convolved(strips, lengths) : transpose(Variable(strips.frames), 0, 1);
  nn::RecurrentOutput read = network_(x, {.lengths = lengths, .noise = call.noise});
  return {.states = by_sentence(read.outputs), .lengths = lengths, .last = std::move(read.final)};
}

}  // namespace heed::models
