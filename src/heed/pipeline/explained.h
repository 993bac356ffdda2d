// SPDX-License-Identifier: Apache-2.0
// What is explained of one input of a model: a number, and the words it is explained by.
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/explain/subject.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// Which of the numbers that a model gives is explained; what is empty is the model's own choice.
struct ExplainedTarget {
  std::string aspect{};  // of a classifier of several
  std::string label{};   // a class; empty: what the model says
};

struct Explained {
  std::unique_ptr<explain::Subject> subject{};  // not to outlive the model
  std::vector<std::string> words{};             // [T], its tokens
  std::string target{};                         // "sentiment = positive"
  double probability = 0;                       // of the target
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
