// SPDX-License-Identifier: Apache-2.0
// Class weights: what a text counts in the loss, by its class, so that rare classes count.
#pragma once

#include <string>
#include <vector>

#include "heed/tensor/real.h"
#include "heed/text/labels.h"

namespace heed::pipeline {

// Of each aspect and class. `written` is "none" (1 each), "balanced" (texts / (classes x texts of
// the class), so that the mean over texts is 1) or "CLASS=NUMBER,..." (1 for those not named; a
// class of several aspects is meant in all). UsageError for a class that no training text has,
// naming their file, for one that is named twice and for numbers that are not above 0.
std::vector<std::vector<Real>> class_weights(const std::string& written, const text::Labels& labels,
                                             const std::string& train);

}  // namespace heed::pipeline
