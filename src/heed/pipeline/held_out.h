// SPDX-License-Identifier: Apache-2.0
// Lines to train on and lines held out to validate with, from one file or two.
#pragma once

#include <string>
#include <vector>

#include "heed/text/pairs.h"

namespace heed::pipeline {

// The lines of a training file, those held out left out.
text::PairReader training_lines(const std::string& train, const text::HoldOut& held);

struct HeldOutLines {
  std::string name{};  // of their file, for messages
  std::vector<text::LinePair> lines{};
};
// All lines of `valid`, or without that file those of `train` that are held out; none without
// either. DataError when there is to be one and none has text.
HeldOutLines held_out_lines(const std::string& valid, const std::string& train,
                            const text::HoldOut& held);

}  // namespace heed::pipeline
