// SPDX-License-Identifier: Apache-2.0
// Gradient check: compares backward() with finite differences. Trustworthy when Real is double.
#pragma once  // public header

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

struct GradcheckOptions {
  // Central differences err by step^2 and by rounding / step: 1e-5 balances them for double.
  Real step = Real(1e-5);
  Real tolerance = Real(1e-6);  // of |analytic - numeric| / max(1, |analytic|, |numeric|)
};

struct GradcheckResult {
  bool passed = false;
  Real worst = 0;             // the largest relative error
  std::string where;          // which element of which input, and both values
  std::set<std::string> ops;  // the ops the function recorded
};

// f maps leaves made of `inputs` to one variable of any shape, which is projected on fixed random
// numbers so that every output element counts. f must be smooth near the inputs and give the same
// result when called again.
using CheckedFunction = std::function<Variable(std::span<const Variable>)>;
GradcheckResult gradcheck(const CheckedFunction& f, std::span<const Tensor> inputs,
                          const GradcheckOptions& options = {});

// The ops of every function that has passed in this process.
const std::set<std::string>& passed_ops();

}  // namespace heed

#pragma GCC visibility pop
