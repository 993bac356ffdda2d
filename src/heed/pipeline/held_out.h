// SPDX-License-Identifier: Apache-2.0
// Lines to train on and lines held out to validate with, from one file or two.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/text/data_check.h"
#include "heed/text/pairs.h"

namespace heed::pipeline {

// A file of which each line is a text.
text::PairFiles plain_lines(const std::string& file);

// The lines or rows of a training file, those held out left out.
text::PairReader training_lines(const text::PairFiles& train, const text::HoldOut& held);

// The parts of data of a kind that reads plain lines.
std::vector<text::DataPart> plain_parts(const std::string& train, const std::string& valid);
// Takes a training file and perhaps one for validation. UsageError for another number.
void take_plain_data(std::span<const std::string> files, std::string& train, std::string& valid);

struct HeldOutLines {
  std::string name{};  // of their file, for messages
  std::vector<text::LinePair> lines{};
};
// All lines of `valid`, or without that file (an empty name) those of `train` that are held out;
// none without either. DataError when there is to be one and none has text.
HeldOutLines held_out_lines(const text::PairFiles& valid, const text::PairFiles& train,
                            const text::HoldOut& held);

}  // namespace heed::pipeline
