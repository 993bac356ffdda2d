// SPDX-License-Identifier: Apache-2.0
// PictureAsker: answers a question on an image in several looks. A GRU reads the question, each
// look reads the cells with any mechanism and moves the question on, and what was read beside the
// question gives the answer.
//
// Letters: B images with a question each, L cells, D features of a cell, H units, A answers.
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/image_encoder.h"
#include "heed/models/sequences.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// What is read of the image: by attention; the mean of the cells; nothing, so that the question
// alone must do.
enum class PictureReading { attention, mean, nothing };
// "attention", "mean", "nothing", in the order of the enumerators.
const std::vector<std::string>& picture_reading_names();

struct PictureAskerOptions {
  ImageEncoderOptions encoder{};
  std::int64_t vocabulary = 0;  // of questions
  std::int64_t answers = 0;     // A
  PictureReading reading = PictureReading::attention;
  std::string attention = "additive";  // its mechanism in the written form
  std::int64_t hops = 2;
  std::int64_t embedding = 32;
  std::int64_t hidden = 64;  // H
};

class PictureAsker {
 public:
  // UsageError for options that do not fit each other.
  PictureAsker(const PictureAskerOptions& options, Random& random);
  void visit(nn::ParameterVisitor& visitor);

  // [B,A] of one question on each image, or [B*N,A] of N, those of one image after another: the
  // image is read once for all of them. UsageError where the questions do not share out evenly.
  Variable operator()(const ImageTensors& images, const Sequences& questions,
                      const Call& call) const;
  const PictureAskerOptions& options() const { return options_; }
  const ImageEncoder& encoder() const { return encoder_; }
  bool looks() const { return options_.reading == PictureReading::attention; }

  // What observers are told of a look; `hop` says which one it is.
  static constexpr attention::Site kLookSite{
      .role = attention::Role::memory, .set = "looks", .queries = "hops", .keys = "image"};

 private:
  PictureAskerOptions options_;
  ImageEncoder encoder_;
  nn::Embedding words_;
  nn::RecurrentNetwork question_;
  std::shared_ptr<attention::Attention> mechanism_;  // one for all hops
  std::vector<nn::Linear> reads_;                    // of each hop, [H,D]
  nn::Linear joined_;
  nn::Linear output_;
};

}  // namespace heed::models

#pragma GCC visibility pop
