// SPDX-License-Identifier: Apache-2.0
// StripRecogniser: reads a strip of frames and writes the labels that lie in it, by CTC (Graves
// 2006), which gives each state a label or a blank, or by a decoder that attends to the states:
// additive (Bahdanau 2015), monotonic (Raffel 2017), or any other mechanism.
//
// Letters: B strips, S states, U labels, L labels there are.
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/models/recurrent_decoder.h"
#include "heed/models/strip_encoder.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

enum class LabelWriting { ctc, attention };
// "ctc", "attention", in the order of the enumerators.
const std::vector<std::string>& label_writing_names();

struct StripRecogniserOptions {
  StripEncoderOptions encoder{};
  std::int64_t labels = 12;  // L
  LabelWriting writing = LabelWriting::ctc;
  std::string attention = "additive(size=64)";
  std::int64_t embedding = 32;  // attention: of labels
  std::int64_t hidden = 64;     // attention: units of the decoder
};

// Labels of a batch, from 0 on.
struct StripLabels {
  Ids labels;  // [B,U], padded with anything
  Ids counts;  // [B]
};

class StripRecogniser {
 public:
  // UsageError for sizes and mechanisms that cannot be.
  StripRecogniser(const StripRecogniserOptions& options, Random& random);

  void visit(nn::ParameterVisitor& visitor);
  const StripRecogniserOptions& options() const { return options_; }
  const StripEncoder& encoder() const { return encoder_; }

  // -log p of the labels, summed over the strips. Infinite where CTC has fewer states than labels
  // take; see ctc_infeasible.
  Variable loss(const StripTensors& strips, const StripLabels& labels, const Call& call) const;

  // ctc: [B,S,1+L], the blank first.
  Variable logits(const EncoderStates& states) const { return output_(states.states); }
  // attention: writes label l as token text::kFirstPiece + l.
  const RecurrentDecoder& decoder() const { return decoder_; }

 private:
  StripRecogniserOptions options_;
  StripEncoder encoder_;
  nn::Linear output_;
  RecurrentDecoder decoder_;
};

// As a decoder of tokens writes them, each row ending with text::kEnd.
Sequences label_sequences(const StripLabels& labels);

}  // namespace heed::models

#pragma GCC visibility pop
