// SPDX-License-Identifier: Apache-2.0
// Captioner: says in words what is in an image (Xu 2015): an encoder of images, and a recurrent
// decoder that attends to its cells before each word with any mechanism, soft, hard or structured.
//
// Letters: B images, L cells, T words of a caption with its end.
#pragma once  // public header

#include <string>

#include "heed/models/image_encoder.h"
#include "heed/models/recurrent_decoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

// What of a look the decoder carries on to the words that follow. What was read: it looks before
// its LSTM moves, which may keep all that one look told for several words (Xu 2015). Where it
// looked alone: it looks after its LSTM has moved, and a word that needs the picture must look for
// itself, so that what is seen of its looks is what it knows.
enum class Carries { read, place };
const std::vector<std::string>& carries_names();

struct CaptionerOptions {
  ImageEncoderOptions encoder{};
  std::int64_t vocabulary = 0;
  // The mechanism in its written form; "none": the mean of the cells at every step instead.
  std::string attention = "additive";
  std::int64_t embedding = 64;
  std::int64_t hidden = 128;
  Carries carries = Carries::place;
  bool gate = true;  // where what was read is carried: how much of it goes on
  Real dropout = 0;
};

class Captioner {
 public:
  // UsageError for options that do not fit each other.
  Captioner(const CaptionerOptions& options, Random& random);
  void visit(nn::ParameterVisitor& visitor);

  Encoded encode(const ImageTensors& images, const Call& call) const {
    return decoder_.read(encoder_(images, call));
  }
  const RecurrentDecoder& decoder() const { return decoder_; }
  const ImageEncoder& encoder() const { return encoder_; }
  const CaptionerOptions& options() const { return options_; }

 private:
  CaptionerOptions options_;
  ImageEncoder encoder_;
  RecurrentDecoder decoder_;
};

// The sum over captions and cells of (share - sum over words of weight)^2: every part of an image
// shall be looked at once in all (Xu 2015, Eq. 14). weights [B,T,L], lengths [B] with the end of
// each caption, which does not count. The paper's share is 1, which few words for many cells cannot
// reach; 0 stands for words / cells, which they can.
Variable doubly_stochastic(const Variable& weights, const Ids& lengths, double share = 0);

}  // namespace heed::models

#pragma GCC visibility pop
