// SPDX-License-Identifier: Apache-2.0
// CTC, connectionist temporal classification (Graves 2006): the loss of a sequence of labels that
// lie somewhere in a longer sequence of frames, in this order. It sums over all ways to lay them,
// which are monotonic hard alignments: a frame has a label or a blank, a label may last for several
// frames, and two equal labels need a blank between them.
//
//   const CtcTargets targets{.labels = labels, .lengths = counts, .frames = frames};
//   const Variable loss = ctc_loss(logits, targets);  // the mean of the sequences
//
// Letters: B sequences, T frames, U labels, C symbols with the blank.
#pragma once  // public header

#include "heed/autograd/ops.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

struct CtcTargets {
  Ids labels;              // [B,U], padded with anything
  Ids lengths;             // [B]: how many of them count; none is a sequence of blanks
  Ids frames = {};         // [B]: how many frames count; not defined: all
  std::int32_t blank = 0;  // the symbol that is no label
};

// logits [B,T,C] -> the mean over the sequences, their sum, or each [B]. A sequence with more
// labels than its frames have room for has a loss of infinity and a gradient of 0: see
// ctc_infeasible. Frames past the end have no loss and no gradient. UsageError for targets that do
// not fit.
Variable ctc_loss(const Variable& logits, const CtcTargets& targets,
                  Reduction reduction = Reduction::mean);

// Which sequences have too few of T frames: one for each label, and for each two equal neighbours
// one more.
std::vector<std::int64_t> ctc_infeasible(const CtcTargets& targets, std::int64_t frames);

// The chance of each place at each frame, given the labels: logits [T,C], labels [U] -> [T,2U+1].
// Places are blank, first label, blank, second label, ... and a frame's chances add up to 1; the
// weights of label u over the frames are those at place 2u+1. Zeros where the labels do not fit.
Tensor ctc_posterior(const Tensor& logits, const Ids& labels, std::int32_t blank = 0);

}  // namespace heed

#pragma GCC visibility pop
