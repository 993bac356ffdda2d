// SPDX-License-Identifier: Apache-2.0
// What is explained of one input of a model: a number, and the words it is explained by.
#pragma once  // public header

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/explain/subject.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// Which of the numbers that a model gives is explained; what is empty is the model's own choice.
struct ExplainedTarget {
  std::string aspect{};  // of a classifier of several
  // A class; of models that write or fill in a step from 1 on, a word, or "STEP=WORD".
  std::string label{};
};

// A step and a word of models that write or fill in.
struct ExplainedStep {
  std::size_t step = 0;  // from 1; 0: not said
  std::string word{};    // empty: not said
};
// Of "3", "chat" or "3=chat".
ExplainedStep explained_step(const std::string& written);

struct Explained {
  std::unique_ptr<explain::Subject> subject{};  // not to outlive the model
  std::vector<std::string> words{};             // [T], its tokens
  std::string target{};                         // "sentiment = positive"
  double probability = 0;                       // of the target
  // Of models that write: what was written piece by piece, which piece is explained, and the same
  // of another piece; the model must still be there.
  std::vector<std::string> steps{};
  std::size_t step = 0;
  std::function<Explained(std::size_t step)> at{};
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
